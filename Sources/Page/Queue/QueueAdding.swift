import Logging
import Player
import Services
import Text
import UPnP

/// Puts tracks into the queue, for whatever is played on the page and for songs from phones.
struct QueueAdding: Sendable {
  let player: PlayerCore
  let undo: QueueUndo
  let casters: Casters
  let logger: Logger

  /// What has become of tracks.
  struct Added: Sendable {
    /// How many there was room for.
    var count: Int
    /// The queue's, with these tracks; nil where there is no queue, and the first track plays alone.
    var token: UInt32?
  }

  /// Adds tracks, and plays one of them if that is wanted.
  ///
  /// - Parameters:
  ///   - start: the place among them of the one to begin with, from 0.
  ///   - caller: who wants it.
  func add(
    _ media: [Media], _ how: API.Play.How, first start: Int = 0, _ caller: ActionContext
  ) throws(Problem) -> Added {
    let before = player.currentState
    let begins = how == .now || how == .replace
    guard before.sources.contains(.playlist) else {
      guard begins, let first = media.first else { throw .noQueue }
      return try cast(first, caller)
    }
    let playlist = before.playlist
    do throws(PlayerError) {
      let commands: [PlaylistCommand] =
        switch how {
        case .now: [.insertEach(after: playlist.currentID, media)]
        case .next: NewMedia.nextCommands(media, playlist)
        case .end: [.insertEach(after: playlist.tracks.ids.last ?? 0, media)]
        case .replace: [.deleteAll, .insertEach(after: 0, media)]
        }
      try player.change(commands.map(Command.playlist))
      let after = player.currentState.playlist
      let added = after.tracks.count - (how == .replace ? 0 : playlist.tracks.count)
      undo.remember(
        how == .replace ? "Replacing the queue" : "Adding \(counted(added, "track"))",
        before: playlist, after: after)
      if begins {
        let behind = added - 1 - min(max(start, 0), added - 1)
        try player.change([.playlist(.playID(after.tracks.lastID - UInt32(behind)))])
      }
      tell(begins ? "casts" : "adds", media.first, caller, level: begins ? .info : .debug)
      return Added(count: added, token: after.token)
    } catch {
      throw Problem(error)
    }
  }

  /// Plays a track as a control point does, where there is no queue.
  private func cast(_ media: Media, _ caller: ActionContext) throws(Problem) -> Added {
    do throws(PlayerError) {
      try player.change([.av(.setMedia(media)), .av(.play)])
    } catch {
      throw Problem(error)
    }
    tell("casts", media, caller, level: .info)
    return Added(count: 1)
  }

  private func tell(_ verb: String, _ media: Media?, _ caller: ActionContext, level: Logger.Level) {
    CastLog(logger: logger, context: caller, casters: casters, isPage: true)(verb, media, level: level)
  }
}
