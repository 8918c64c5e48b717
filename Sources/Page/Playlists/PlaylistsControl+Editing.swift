import Kept
import Player
import Text

/// Where a request says that tracks come from.
struct TrackSource: Sendable {
  var isQueue: Bool
  /// Of the queue; nil for all of it.
  var ids: [Int]?
  var items: [API.PlayItem]?
  var text: String?

  var ways: Int { [isQueue, items != nil, text != nil].count(where: \.self) }
}

extension API.NewPlaylist {
  var source: TrackSource { TrackSource(isQueue: from != nil, ids: ids, items: items, text: text) }
}

extension API.PlaylistAddition {
  var source: TrackSource { TrackSource(isQueue: from != nil, ids: ids, items: items, text: text) }
}

/// How edits of playlists are made.
extension PlaylistsControl {
  /// Tracks for a playlist, and what was left out of them.
  private struct Given: Sendable {
    var media: [Media]
    /// How many can't be played.
    var left = 0
    var notes: [String] = []
  }

  /// An edit that needs no tracks.
  func edit(_ command: KeptCommand, _ match: String?) -> Reply<API.Playlist> {
    .later {
      guard let match = ListMatch(match) else { return .problem(Problem(KeptRefusal.changed)) }
      switch await playlists.perform(command, version: match.version) {
      case .problem(let problem): return .problem(problem)
      case .value(let outcome): return Self.shown(outcome)
      }
    }
  }

  /// An edit with tracks, which come from the queue, from items or from a text.
  ///
  /// - Parameters:
  ///   - least: how many of the three there have to be.
  ///   - match: what `If-Match` says of the list.
  ///   - command: what is to be done with the tracks.
  func tracks(
    _ source: TrackSource, least: Int, match: String? = nil,
    _ command: @escaping @Sendable ([KeptTrack]) -> KeptCommand
  ) -> Reply<API.PlaylistResult> {
    guard (least...1).contains(source.ways), source.isQueue || source.ids == nil else {
      return .problem(
        Problem(
          "ambiguous", .unprocessableContent,
          "There has to be \(least == 0 ? "at most" : "exactly") one of from, items and text; ids belong to from."
        ))
    }
    guard let match = ListMatch(match) else { return .problem(Problem(KeptRefusal.changed)) }
    let items: [PlayableItem]
    do throws(Problem) {
      items = try PlayableItem.items(play.withoutPins(source.items ?? []), for: player.currentState)
    } catch {
      return .problem(error)
    }
    if let refusal = playlists.refusal(of: items) { return .problem(refusal) }
    return .later {
      let given: Given
      switch await self.given(source, items) {
      case .problem(let problem): return .problem(problem)
      case .value(let value): given = value
      }
      guard !given.media.isEmpty || source.ways == 0 else { return .problem(Self.nothing(given)) }
      let kept = await playlists.kept(given.media)
      switch await playlists.perform(command(kept), version: match.version) {
      case .problem(let problem): return .problem(problem)
      case .value(let outcome): return Self.result(outcome, given)
      }
    }
  }

  private func given(_ source: TrackSource, _ items: [PlayableItem]) async -> Outcome<Given> {
    let most = KeptLimits().tracks
    if source.isQueue {
      let wanted = source.ids.map { Set($0.map { UInt32(clamping: $0) }) }
      let media = await player.within { player in
        let tracks = player.state.playlist.tracks
        return tracks.ids.filter { wanted?.contains($0) ?? true }.compactMap { tracks[$0] }
      }
      return .value(Given(media: media))
    }
    if let text = source.text { return await imported(text, most: most) }
    return await play.found(items, room: most).map { found in
      var given = Given(media: found.tracks, left: found.left)
      if found.left > 0 { given.notes.append("\(found.left) can't be played by this speaker.") }
      if found.isPartial { given.notes.append("There is more in it than could be listed.") }
      return given
    }
  }

  private func imported(_ text: String, most: Int) async -> Outcome<Given> {
    let policy = await player.within { $0.state.configuration.uriPolicy }
    do throws(ImportedList.Failure) {
      let list = try ImportedList(text, most: most, allows: policy.allows)
      var given = Given(media: list.tracks, left: list.refused)
      if list.refused > 0 {
        given.notes.append(
          "\(counted(list.refused, "track was", "tracks were")) left out: only http and https addresses are taken, and files below [playback] directories."
        )
      }
      return .value(given)
    } catch {
      let detail =
        switch error {
        case .tooLong: "The text is too long; send it in parts."
        case .notAList: "The text is no list of tracks: neither M3U nor XSPF, nor another that is known."
        case .stream: "The text is an HLS playlist, which is one stream. Play its address instead."
        }
      return .problem(Problem("not-a-list", .unprocessableContent, detail, pointer: "/text"))
    }
  }

  private static func nothing(_ given: Given) -> Problem {
    Problem(
      "not-playable", .unprocessableContent,
      given.notes.isEmpty ? "There are no tracks in it." : given.notes.joined(separator: " "))
  }

  private static func result(_ outcome: KeptOutcome, _ given: Given) -> Outcome<API.PlaylistResult> {
    var notes = given.notes
    if outcome.left > 0 { notes.insert("\(outcome.left) didn't fit: the playlist is full.", at: 0) }
    return shown(outcome).map { playlist in
      API.PlaylistResult(
        playlist: playlist, added: outcome.added, left: outcome.left + given.left,
        detail: notes.isEmpty ? nil : notes.joined(separator: " "))
    }
  }

  private static func shown(_ outcome: KeptOutcome) -> Outcome<API.Playlist> {
    guard let head = outcome.heads.first(where: { $0.id == outcome.id }) else {
      return .problem(Problem(KeptRefusal.noList))
    }
    return .value(API.Playlist(head))
  }
}

/// What `If-Match` says of a playlist.
private struct ListMatch: Sendable {
  /// The version that is wanted; nil where any will do.
  var version: UInt32?

  /// Nil for what can't be a version.
  init?(_ text: String?) {
    guard let text, text != "*" else { return }
    let bare = text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text[...]
    guard let version = UInt32(bare) else { return nil }
    self.version = version
  }
}
