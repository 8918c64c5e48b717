/// What a sound device has let be heard when: pairs of the monotonic clock and the running time, as a line. Pure.
///
/// Times are nanoseconds.
public struct DeviceLine: Sendable {
  /// How the device's readings err.
  public enum Kind: Sendable {
    /// Not at all, but for the moments between two readings of clocks.
    case exact
    /// To too few: what was heard is counted late (ALSA).
    case lagging
    /// Both ways (PulseAudio).
    case noisy
  }

  private static let window: Int64 = 10_000_000_000
  private static let mostReadings = 300

  private let kind: Kind
  private var readings: [(monotonic: Int64, running: Int64)] = []
  private var reference: (monotonic: Int64, running: Int64)?
  /// Device nanoseconds for each of the monotonic clock.
  public private(set) var rate = 1.0

  public init(kind: Kind) { self.kind = kind }

  /// - Parameters:
  ///   - monotonic: the monotonic clock.
  ///   - running: the running time that was heard then.
  public mutating func add(monotonic: Int64, running: Int64) {
    if let last = readings.last, monotonic <= last.monotonic { return }
    readings.append((monotonic, running))
    if readings.count > Self.mostReadings { readings.removeFirst() }
    guard let first = readings.first,
      kind == .exact ? readings.count >= 2 : monotonic &- first.monotonic >= 200_000_000
    else { return }
    reference = (monotonic, running)
  }

  /// The running time that is heard at `monotonic`; nil until 200 ms are known (of an exact device: two readings).
  public func running(at monotonic: Int64) -> Int64? {
    guard let reference else { return nil }
    return reference.running &+ Int64(Double(monotonic &- reference.monotonic) * rate)
  }

  /// When the running time `running` is heard, by the monotonic clock; nil until 200 ms are known (of an exact device: two
  /// readings).
  public func monotonic(running: Int64) -> Int64? {
    guard let reference else { return nil }
    return reference.monotonic &+ Int64(Double(running &- reference.running) / rate)
  }

  /// Begins anew: the device was opened or flushed.
  public mutating func reset() {
    readings = []
    reference = nil
  }
}
