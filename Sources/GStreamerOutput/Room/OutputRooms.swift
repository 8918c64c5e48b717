import Rooms
import RoomsIO

/// What the output shares with other rooms: what it plays, when that is heard, and where others are heard.
public final class OutputRooms: Sendable {
  /// Where other rooms are heard.
  public let networks = RoomNetworks()
  /// Where other rooms get what is played here.
  public var sound: any SenderSound { tap }
  /// How this room plays what another one sends.
  public let listening: RoomListening
  let clock: DeviceClock
  let tap: SenderTap

  /// - Parameters:
  ///   - latency: from sending to hearing.
  ///   - maximumRate: faster sound is sent with half or a quarter of its samples per second.
  ///   - listening: how this room plays what another one sends.
  public init(
    latency: Duration = .milliseconds(300), maximumRate: Int = 96000,
    listening: RoomListening = RoomListening()
  ) {
    self.listening = listening
    clock = DeviceClock(delay: listening.outputDelay.nanoseconds)
    tap = SenderTap(clock: clock, latency: latency.nanoseconds, maximumRate: maximumRate)
  }
}

extension Duration {
  /// Nanoseconds, negative ones too, bounded at about 290 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return max(-9_000_000_000, min(seconds, 9_000_000_000)) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
