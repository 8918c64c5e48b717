import HTTP
import Kept
import Player
import Services

/// Answers what is asked for below `/api/v1/playlists`.
public struct PlaylistsControl: PlaylistsHandlers {
  /// Bytes of metadata that one answer reads; what is beyond is asked for again.
  private static let mostBytesRead = 1 << 20

  let playlists: Playlists
  let player: PlayerCore
  let section: PlayerSection
  let play: PlayControl
  let pictures: any PictureAddresses

  /// - Parameter play: plays playlists, and finds what is to be added to one.
  public init(
    playlists: Playlists, player: PlayerCore, section: PlayerSection, play: PlayControl,
    pictures: any PictureAddresses
  ) {
    self.playlists = playlists
    self.player = player
    self.section = section
    self.play = play
    self.pictures = pictures
  }

  // MARK: Reading

  public func getPlaylists(_ context: APIContext) -> Reply<API.Playlists> { .value(playlists.section.value) }

  public func getPlaylist(id: Int, _ context: APIContext) -> Reply<API.Playlist> {
    guard let head = playlists[UInt32(clamping: id)] else { return .problem(Problem(KeptRefusal.noList)) }
    return .value(API.Playlist(head))
  }

  public func getPlaylistTracks(
    id: Int, start: Int?, count: Int?, _ context: APIContext
  ) -> Reply<API.PlaylistTracks> {
    .later {
      let part = await playlists.part(
        of: UInt32(clamping: id), from: start ?? 0, count: count ?? 50, bytes: Self.mostBytesRead)
      return await player.within { _ in part.map { shown($0, from: start ?? 0) } }
    }
  }

  private func shown(_ part: KeptPart, from start: Int) -> API.PlaylistTracks {
    let tracks = part.entries.map { entry in
      let media = entry.track.media
      return API.Track(
        ShownTrack(media), of: media, id: Int(entry.id), duration: media.durationHint,
        picture: { pictures.address(of: $0) })
    }
    return API.PlaylistTracks(
      tracks: tracks, start: start, total: part.head.count, version: String(part.head.version))
  }

  public func exportPlaylist(
    id: Int, format: API.ExportPlaylistFormat?, _ context: APIContext
  ) -> Reply<Answer> {
    let id = UInt32(clamping: id)
    guard let place = playlists.exports.place(bytes: playlists[id]?.bytes ?? 0) else {
      return .problem(Playlists.busy)
    }
    return .later {
      let part = await playlists.part(of: id, from: 0, count: .max)
      return part.map { part in
        let entries = part.entries
        return .complete(
          ListExport.response(
            PlaylistText.Format(rawValue: format?.rawValue ?? "") ?? .m3u8, name: part.head.name,
            file: part.head.name, count: entries.count
          ) { number in
            // Its place is taken until the file has been, or whoever takes it is gone.
            withExtendedLifetime(place) { entries[number].track.media }
          })
      }
    }
  }

  // MARK: Lists

  public func createPlaylist(_ body: API.NewPlaylist, _ context: APIContext) -> Reply<API.PlaylistResult> {
    tracks(body.source, least: 0) { found in
      .create(body.name, found)
    }
  }

  public func renamePlaylist(
    id: Int, _ body: API.PlaylistName, _ context: APIContext
  ) -> Reply<API.Playlist> {
    edit(.rename(UInt32(clamping: id), body.name), nil)
  }

  public func deletePlaylist(id: Int, _ context: APIContext) -> Reply<Done> {
    .later {
      switch await playlists.perform(.delete(UInt32(clamping: id))) {
      case .problem(let problem): .problem(problem)
      case .value: .value(await player.within { _ in Done(version: section.version) })
      }
    }
  }

  // MARK: Tracks

  public func addToPlaylist(
    id: Int, ifMatch: String?, _ body: API.PlaylistAddition, _ context: APIContext
  ) -> Reply<API.PlaylistResult> {
    let id = UInt32(clamping: id)
    guard playlists[id] != nil else { return .problem(Problem(KeptRefusal.noList)) }
    guard body.replace != true || body.after == nil else {
      return .problem(
        Problem(
          "ambiguous", .unprocessableContent, "What replaces all comes behind nothing.", pointer: "/after"))
    }
    return tracks(
      body.source, least: 1, match: ifMatch
    ) { found in
      body.replace == true
        ? .replace(id, found) : .add(id, found, after: body.after.map { UInt32(clamping: $0) })
    }
  }

  public func movePlaylistTracks(
    id: Int, ifMatch: String?, _ body: API.PlaylistMove, _ context: APIContext
  ) -> Reply<API.Playlist> {
    edit(
      .move(UInt32(clamping: id), body.ids.map { UInt32(clamping: $0) }, after: UInt32(clamping: body.after)),
      ifMatch)
  }

  public func removePlaylistTracks(
    id: Int, ifMatch: String?, _ body: API.PlaylistRemoval, _ context: APIContext
  ) -> Reply<API.Playlist> {
    edit(.remove(UInt32(clamping: id), body.ids.map { UInt32(clamping: $0) }), ifMatch)
  }

  // MARK: Playing

  public func playPlaylist(
    id: Int, _ body: API.PlaylistPlay, _ context: APIContext
  ) -> Reply<API.PlayResult> {
    let how = body.how.flatMap { API.Play.How(rawValue: $0.rawValue) } ?? .now
    return .later {
      await play.play(
        playlist: UInt32(clamping: id), how: how, from: body.start, shuffles: body.shuffle, context.action)
    }
  }
}

extension Outcome {
  func map<Other: Sendable>(_ body: (Value) -> Other) -> Outcome<Other> {
    switch self {
    case .value(let value): .value(body(value))
    case .problem(let problem): .problem(problem)
    }
  }
}
