import Logging
import Player
import Services
import Text
import UPnP
import Uploads

/// Lets songs that have come join the queue.
struct SongQueue: Sendable {
  let player: PlayerCore
  let undo: QueueUndo
  let casters: Casters
  let logger: Logger

  /// Lets a song join behind those of its batch that have joined before it.
  ///
  /// - Parameter earlier: their ids, the nearest last; without one that is still there, the song begins anew.
  /// - Returns: its id, or why it can't join.
  func join(_ upload: UploadDesk.Coming, behind earlier: [UInt32]) -> Result<UInt32, Problem> {
    let media = upload.song.media(upload.base)
    let playlist = player.currentState.playlist
    let how = API.Play.How(upload.how)
    guard let anchor = earlier.last(where: { playlist.tracks.contains($0) }) else {
      // The first of a batch alone begins to play, or replaces the queue.
      let isFirst = earlier.isEmpty
      return add([media], isFirst ? how : .end, upload.caller).map { _ in
        player.currentState.playlist.tracks.lastID
      }
    }
    do throws(PlayerError) {
      let next = how == .end ? [] : earlier + [playlist.tracks.lastID &+ 1]
      try player.change([
        .playlist(.insertEach(after: anchor, [media])),
        .playlist(.bringNext(next.filter { $0 != playlist.currentID })),
      ])
    } catch {
      return .failure(Problem(error))
    }
    return .success(player.currentState.playlist.tracks.lastID)
  }

  /// Adds tracks, and plays the first of them if that is wanted.
  ///
  /// - Returns: how many there was room for.
  func add(_ media: [Media], _ how: API.Play.How, _ caller: ActionContext) -> Result<Int, Problem> {
    let before = player.currentState
    guard before.sources.contains(.playlist) else { return cast(media, how, caller) }
    let playlist = before.playlist
    let begins = how == .now || how == .replace
    do throws(PlayerError) {
      let place: [PlaylistCommand] =
        switch how {
        case .now: [.insertEach(after: playlist.currentID, media)]
        case .next: NewMedia.nextCommands(media, playlist)
        case .end: [.insertEach(after: playlist.tracks.ids.last ?? 0, media)]
        case .replace: [.deleteAll, .insertEach(after: 0, media)]
        }
      try player.change(place.map(Command.playlist))
      let after = player.currentState.playlist
      let added = after.tracks.count - (how == .replace ? 0 : playlist.tracks.count)
      undo.remember(
        how == .replace ? "Replacing the queue" : "Adding \(counted(added, "track"))",
        before: playlist, after: after)
      if begins { try player.change([.playlist(.playID(after.tracks.lastID - UInt32(added - 1)))]) }
      tell(begins ? "casts" : "adds", media.first, caller, isCast: begins)
      return .success(added)
    } catch {
      return .failure(Problem(error))
    }
  }

  /// Plays the first as a control point does, where there is no queue.
  private func cast(_ media: [Media], _ how: API.Play.How, _ caller: ActionContext) -> Result<Int, Problem> {
    guard how == .now || how == .replace, let first = media.first else {
      return .failure(
        .conflict("There is no queue: [openhome] enabled is false in the configuration.", type: "no-queue"))
    }
    do throws(PlayerError) {
      try player.change([.av(.setMedia(first)), .av(.play)])
    } catch {
      return .failure(Problem(error))
    }
    tell("casts", first, caller, isCast: true)
    return .success(1)
  }

  private func tell(_ verb: String, _ media: Media?, _ caller: ActionContext, isCast: Bool) {
    CastLog(logger: logger, context: caller, casters: casters, isPage: true)(
      verb, media, level: isCast ? .info : .debug)
  }
}

extension API.Play.How {
  /// `keep` has no place in the queue.
  fileprivate init(_ how: API.AddUploadHow) {
    self =
      switch how {
      case .now: .now
      case .next: .next
      case .end, .keep: .end
      case .replace: .replace
      }
  }
}
