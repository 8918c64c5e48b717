/// What a member of a group says of itself when it asks for the room time.
public struct RoomReport: Equatable, Sendable {
  public enum State: UInt8, Sendable {
    /// It has joined, and can't play in step yet.
    case joining = 0
    /// It could begin at once.
    case ready = 1
    case playing = 2
    /// It plays nothing: the host is silent, or the device doesn't play.
    case silent = 3
  }

  public var state: State
  /// Frames lost in the last 10 s, of 1000.
  public var loss: UInt16
  /// By how many microseconds the sound comes too early: the median of the last second.
  public var error: Int32
  /// The size of the error in microseconds that 95 of 100 don't exceed.
  public var p95: Int32
  /// How much faster than its device's own pace it plays, in parts of 10⁹.
  public var rateCorrection: Int32
  /// By how much its estimate of the room time may be wrong, in microseconds.
  public var halfWidth: UInt32
  /// Frames that never came, since it joined.
  public var lost: UInt32
  /// Frames that came when asked for again, since it joined.
  public var repaired: UInt32
  /// The sound that has come and isn't played yet, in microseconds.
  public var buffered: UInt32

  public init(
    state: State = .joining, loss: UInt16 = 0, error: Int32 = 0, p95: Int32 = 0, rateCorrection: Int32 = 0,
    halfWidth: UInt32 = 0, lost: UInt32 = 0, repaired: UInt32 = 0, buffered: UInt32 = 0
  ) {
    (self.state, self.loss, self.error, self.p95) = (state, loss, error, p95)
    (self.rateCorrection, self.halfWidth) = (rateCorrection, halfWidth)
    (self.lost, self.repaired, self.buffered) = (lost, repaired, buffered)
  }
}
