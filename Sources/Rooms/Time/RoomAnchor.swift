/// When a certain frame of the stream is heard in the host's room. All other frames follow from it by their samples.
public struct RoomAnchor: Equatable, Sendable {
  /// Another number: what is known of earlier frames says nothing about these.
  public var epoch: UInt32
  /// The number of the frame (``AudioMessage/frame``).
  public var frame: UInt32
  /// When its first sample is heard, in nanoseconds of the room time, above 0; nil while that isn't known. The host itself
  /// says it by its own monotonic clock, and ``RoomTimeHost`` turns it into room time.
  public var heard: Int64?
  /// How much faster than its nominal rate the host's device plays, by the room time, in parts of 10⁹.
  public var rate: Int32
  /// Whether ``heard`` was measured at the device; otherwise the host only counts what it gave out.
  public var isMeasured: Bool
  public var isPaused: Bool
  /// Where the host's page is; 0: nowhere.
  public var httpPort: UInt16

  public init(
    epoch: UInt32 = 0, frame: UInt32 = 0, heard: Int64? = nil, rate: Int32 = 0, isMeasured: Bool = false,
    isPaused: Bool = false, httpPort: UInt16 = 0
  ) {
    (self.epoch, self.frame, self.heard, self.rate) = (epoch, frame, heard, rate)
    (self.isMeasured, self.isPaused, self.httpPort) = (isMeasured, isPaused, httpPort)
  }

  /// When a sample is heard, in room time; nil while ``heard`` isn't known.
  ///
  /// - Parameters:
  ///   - samples: by how many samples it lies behind the first one of ``frame``; may be negative.
  ///   - sampleRate: nominal samples per second.
  public func heard(samples: Int64, sampleRate: Int) -> Int64? {
    guard let heard, sampleRate > 0 else { return nil }
    let (seconds, rest) = samples.quotientAndRemainder(dividingBy: Int64(sampleRate))
    let nominal = seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / Int64(sampleRate)
    // Exact though a Double rounds: only the small difference is computed as one. No device is off by more than 0.1 %.
    let pace = min(max(Double(rate) / 1e9, -1e-3), 1e-3)
    return heard &+ nominal &- Int64(Double(nominal) * pace / (1 + pace))
  }
}
