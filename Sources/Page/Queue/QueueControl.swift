import HTTP
import Kept
import Logging
import Player
import Services
import Text
import UPnP

/// Answers what is asked for below `/api/v1/queue`.
public struct QueueControl: QueueHandlers {
  let player: PlayerCore
  let section: QueueSection
  let playerSection: PlayerSection
  let undo: QueueUndo
  let pictures: any PictureAddresses
  /// Bytes of metadata that one answer reads; what is beyond is asked for again.
  static let mostBytesRead = 1 << 20

  public init(
    player: PlayerCore, section: QueueSection, playerSection: PlayerSection, undo: QueueUndo,
    pictures: any PictureAddresses
  ) {
    self.player = player
    self.section = section
    self.playerSection = playerSection
    self.undo = undo
    self.pictures = pictures
  }

  private var playlist: Playlist { player.currentState.playlist }

  // MARK: Reading

  public func getQueue(_ context: APIContext) -> Reply<API.Queue> { .value(section.value) }

  public func getTracks(ids: String, _ context: APIContext) -> Reply<API.Tracks> {
    let parts = ids.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 100 else {
      return .problem(Problem("out-of-range", .unprocessableContent, "Parameter “ids”: at most 100 at once."))
    }
    var tracks: [API.Track] = []
    let known = playlist.tracks
    var (answered, bytes) = (Set<UInt32>(), 0)
    for part in parts {
      guard part.utf8.count <= 10, part.first != "+", let number = UInt64(part) else {
        return .problem(
          Problem(
            "out-of-range", .unprocessableContent, "Parameter “ids”: whole numbers with commas between."))
      }
      guard let id = UInt32(exactly: number), let media = known[id], answered.insert(id).inserted else {
        continue
      }
      // Metadata is read for each, and may be long.
      bytes += media.metadata.utf8.count
      guard tracks.isEmpty || bytes <= Self.mostBytesRead else { break }
      tracks.append(
        API.Track(
          ShownTrack(media), of: media, id: Int(id), duration: media.durationHint,
          picture: { pictures.address(of: $0) }))
    }
    return .value(API.Tracks(tracks: tracks))
  }

  public func exportQueue(format: API.ExportQueueFormat?, _ context: APIContext) -> Reply<Answer> {
    let (tracks, format) = (playlist.tracks, PlaylistText.Format(rawValue: format?.rawValue ?? ""))
    return .value(
      .complete(
        ListExport.response(
          format ?? .m3u8, name: playerSection.name, file: "queue", count: tracks.count
        ) { tracks[tracks.ids[$0]] }))
  }

  // MARK: Editing

  public func insertTracks(
    ifMatch: String?, _ body: API.QueueInsertion, _ context: APIContext
  ) -> Reply<API.PlayResult> {
    let (media, problem) = NewMedia.media(body.tracks, for: player.currentState)
    if let problem { return .problem(problem) }
    let after = body.after.map { UInt32(clamping: $0) } ?? playlist.tracks.ids.last ?? 0
    let before = playlist.tracks.count
    let commands =
      after != 0 && after == playlist.currentID
      ? NewMedia.nextCommands(media, playlist) : [.insertEach(after: after, media)]
    if let problem = edit(ifMatch, "Adding \(counted(media.count, "track"))", commands, "/after") {
      return .problem(problem)
    }
    return .value(
      NewMedia.result(
        wanted: media.count, added: playlist.tracks.count - before, token: playlist.token))
  }

  public func moveTracks(ifMatch: String?, _ body: API.QueueMove, _ context: APIContext) -> Reply<Done> {
    guard !body.ids.contains(body.after), Set(body.ids).count == body.ids.count else {
      return .problem(
        Problem(
          "out-of-range", .unprocessableContent, "No track may be named twice, nor come behind itself.",
          pointer: "/ids"))
    }
    let (ids, after) = (body.ids.map { UInt32(clamping: $0) }, UInt32(clamping: body.after))
    // What is behind the current track plays next, also while shuffling.
    let isNext = after != 0 && after == playlist.currentID
    return done(
      edit(
        ifMatch, "Moving \(counted(ids.count, "track"))",
        [.move(ids, after: after)] + (isNext ? [.bringNext(ids)] : []), nil))
  }

  public func removeTrack(id: Int, ifMatch: String?, _ context: APIContext) -> Reply<Done> {
    done(edit(ifMatch, "Removing 1 track", [.deleteEach([UInt32(clamping: id)])], nil))
  }

  public func removeTracks(
    ifMatch: String?, _ body: API.QueueRemoval, _ context: APIContext
  ) -> Reply<Done> {
    let ids = Set(body.ids.map { UInt32(clamping: $0) })
    guard ids.count == body.ids.count else {
      return .problem(
        Problem("out-of-range", .unprocessableContent, "No track may be named twice.", pointer: "/ids"))
    }
    return done(edit(ifMatch, "Removing \(counted(ids.count, "track"))", [.deleteEach(ids.sorted())], "/ids"))
  }

  public func clearQueue(ifMatch: String?, _ context: APIContext) -> Reply<Done> {
    done(edit(ifMatch, "Clearing the queue", [.deleteAll], nil))
  }

  public func undoEdit(ifMatch: String?, _ context: APIContext) -> Reply<Done> {
    if let problem = QueueMatch.refusal(ifMatch, playlist) { return .problem(problem) }
    guard let command = undo.take(for: playlist) else {
      return .problem(
        .conflict(
          "There is nothing to take back: no edit, or it was too long ago, or the queue has changed since."))
    }
    do throws(PlayerError) {
      try player.change([command])
    } catch {
      return .problem(Problem(error))
    }
    return done(nil)
  }

  // MARK: Playing

  public func playTrack(id: Int, _ context: APIContext) -> Reply<Done> {
    playerSection.audibly {
      do throws(PlayerError) {
        try player.change([.playlist(.playID(UInt32(clamping: id)))])
      } catch {
        return .problem(Problem(error))
      }
      playerSection.casters.note(Casters.Caster(context.action, isPage: true))
      return done(nil)
    }
  }

  // MARK: Parts

  private func done(_ problem: Problem?) -> Reply<Done> {
    problem.map { .problem($0) } ?? .value(Done(version: playerSection.version))
  }

  /// Edits the queue, and remembers how to take that back.
  ///
  /// - Parameter match: what `If-Match` says; nil when it says nothing.
  private func edit(
    _ match: String?, _ description: String, _ commands: [PlaylistCommand], _ pointer: String?
  ) -> Problem? {
    let before = player.currentState
    guard before.sources.contains(.playlist) else {
      return .noQueue
    }
    if let problem = QueueMatch.refusal(match, before.playlist) { return problem }
    do throws(PlayerError) {
      try player.change(commands.map(Command.playlist))
    } catch {
      return Problem(error, pointer: pointer)
    }
    undo.remember(description, before: before.playlist, after: playlist)
    return nil
  }
}

/// Compares what `If-Match` says with the queue.
enum QueueMatch {
  /// The problem that the queue has changed; nil when it hasn't, or nobody asked.
  static func refusal(_ match: String?, _ playlist: Playlist) -> Problem? {
    guard let match, match != "*" else { return nil }
    let token = match.hasPrefix("\"") && match.hasSuffix("\"") ? match.dropFirst().dropLast() : match[...]
    guard token == String(playlist.token) else {
      return Problem(
        "queue-changed", .preconditionFailed,
        "The queue has changed meanwhile; look at it again before you edit it.")
    }
    return nil
  }
}
