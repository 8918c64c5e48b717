import RoomsIO

/// What the output shares with other rooms: what it plays, when that is heard, and where others are heard.
public final class OutputRooms: Sendable {
  /// Where other rooms are heard.
  public let networks = RoomNetworks()
  /// Where other rooms get what is played here.
  public var sound: any SenderSound { tap }
  /// How this room plays what another one sends.
  let listening: RoomListening
  let clock: DeviceClock
  let tap: SenderTap

  /// - Parameters:
  ///   - latency: from sending to hearing.
  ///   - listening: how this room plays what another one sends.
  public init(latency: Duration = .milliseconds(300), listening: RoomListening = RoomListening()) {
    self.listening = listening
    clock = DeviceClock(delay: listening.outputDelay)
    tap = SenderTap(clock: clock, latency: Int64(clamping: latency.wholeNanoseconds))
  }

  /// How well this room plays what another one sends; nil while it doesn't.
  public var report: RoomListeningReport? { listening.report }
}
