import NIOCore
import Player
import Synchronization

/// Remembers the queue before the last edit, so that it can be taken back for a while. Used on the event loop.
public final class QueueUndo: Sendable {
  /// How long an edit can be taken back.
  public static let time = TimeAmount.seconds(60)

  private struct Edit: Sendable {
    var description: String
    var tracks: PlaylistTracks
    var current: UInt32
    /// The token after the edit: whoever edits behind it makes undoing impossible, since it would undo that too.
    var token: UInt32
    var end: Scheduled<Void>
  }

  private let eventLoop: any EventLoop
  private let forgotten: @Sendable () -> Void
  private let edit = Mutex<Edit?>(nil)

  /// - Parameter forgotten: called when an edit can't be taken back any more.
  public init(eventLoop: any EventLoop, forgotten: @escaping @Sendable () -> Void) {
    self.eventLoop = eventLoop
    self.forgotten = forgotten
  }

  /// What can be taken back, in plain words; nil for nothing.
  func description(for playlist: Playlist) -> String? {
    edit.withLock { $0.flatMap { $0.token == playlist.token ? $0.description : nil } }
  }

  /// Remembers what `edit` has changed.
  func remember(_ description: String, before: Playlist, after: Playlist) {
    guard before.token != after.token else { return }
    let end = eventLoop.scheduleTask(in: Self.time) { self.forget() }
    let old = edit.withLock { edit in
      let old = edit
      edit = Edit(
        description: description, tracks: before.tracks, current: before.currentID, token: after.token,
        end: end)
      return old
    }
    old?.end.cancel()
  }

  /// The command that takes the last edit back; nil when there is none.
  func take(for playlist: Playlist) -> Command? {
    let taken = edit.withLock { edit -> Edit? in
      guard edit?.token == playlist.token else { return nil }
      defer { edit = nil }
      return edit
    }
    taken?.end.cancel()
    return taken.map { .playlist(.restore($0.tracks, current: $0.current)) }
  }

  private func forget() {
    edit.withLock { $0 = nil }
    forgotten()
  }
}
