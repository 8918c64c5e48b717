import JSON
import Player
import Synchronization

/// The section `queue`. As with ``PlayerSection``, nothing is computed while nobody asks.
public final class QueueSection: PageSection {
  private struct State: Sendable {
    var version = 0
    var shown: API.Queue?
    /// How long the tracks of the list with this token are together.
    var length: (token: UInt32, seconds: Double)?
  }

  private let player: PlayerCore
  private let undo: QueueUndo
  private let state = Mutex(State())

  public init(player: PlayerCore, undo: QueueUndo) {
    self.player = player
    self.undo = undo
  }

  public var version: Int { value.version }

  /// The section as it is now.
  public var value: API.Queue {
    let (playlist, limit) = player.assumeIsolated { ($0.state.playlist, $0.state.configuration.tracksMax) }
    let description = undo.description(for: playlist)
    return state.withLock { state in
      let length =
        state.length.flatMap { $0.token == playlist.token ? $0.seconds : nil }
        ?? Self.seconds(playlist.tracks)
      state.length = (playlist.token, length)
      var queue = API.Queue(
        version: state.shown?.version ?? 0, token: String(playlist.token),
        ids: playlist.tracks.ids.map(Int.init),
        current: Int(playlist.currentID), seconds: length, limit: limit, undo: description)
      guard queue != state.shown else { return queue }
      state.version += 1
      queue.version = state.version
      state.shown = queue
      return queue
    }
  }

  private static func seconds(_ tracks: PlaylistTracks) -> Double {
    tracks.ids.reduce(Duration.zero) { $0 + (tracks[$1]?.durationHint ?? .zero) }.seconds
  }

  public func write(to json: inout JSONWriter) { value.write(to: &json) }
}
