import Rooms
import RoomsIO
import Threads

/// How this room plays what another one sends: what is set for it, and how well it goes.
public final class RoomListening: Sendable {
  private struct State: Sendable {
    var port: SharedState<RoomReceiver.Port>?
    var onOrigin: (@Sendable (StreamAddress?) -> Void)?
  }

  /// How much later than the device the loudspeaker sounds.
  public let outputDelay: Duration
  /// What the loudspeakers play.
  public let channels: ChannelMapping
  private let state = SharedState(State())

  public init(outputDelay: Duration = .zero, channels: ChannelMapping = .stereo) {
    self.outputDelay = outputDelay
    self.channels = channels
  }

  /// How well it goes; nil while this room plays nothing of another one.
  public var report: RoomReport? { state.withLock { $0.port }?.withLock { $0.isClosed ? nil : $0.report } }

  /// Calls `handler`, on any thread, when the sound comes from somewhere else.
  public func onOrigin(_ handler: @escaping @Sendable (StreamAddress?) -> Void) {
    state.withLock { $0.onOrigin = handler }
  }

  func begins(_ port: SharedState<RoomReceiver.Port>) { state.withLock { $0.port = port } }

  func ends(_ port: SharedState<RoomReceiver.Port>) {
    state.withLock { if $0.port === port { $0.port = nil } }
  }

  func comes(from origin: StreamAddress?) { state.withLock { $0.onOrigin }?(origin) }
}

extension RoomChannels {
  init(_ mapping: ChannelMapping) {
    switch mapping {
    case .stereo: self = .stereo
    case .mono: self = .mono
    case .left: self = .left
    case .right: self = .right
    case .swapped: self = .swapped
    }
  }
}
