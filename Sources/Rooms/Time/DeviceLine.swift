/// What a sound device lets be heard when: readings of the monotonic clock and of the running time, as a line. Pure.
///
/// Times are nanoseconds. A reading every 50 ms is enough.
public struct DeviceLine: Sendable {
  /// How the device's readings err.
  public enum Kind: Sendable {
    /// Not at all, but for the moments between the readings of two clocks.
    case exact
    /// To too few (ALSA): a pointer is old, or was read just before the next period was counted. The line lies above.
    case lagging
    /// Both ways (PulseAudio). The line goes through the middle.
    case noisy
  }

  private struct Reading {
    var monotonic: Int64
    var running: Int64
  }

  /// What a device says right after it has begun to play isn't exact: such readings are better left out.
  public static let settling: Int64 = 150_000_000

  private static let second: Int64 = 1_000_000_000
  private static let mostReadings = 700
  private static let mostRate = 1000e-6
  /// A line that spans less is made anew with each reading, a longer one this often, and an old one half as often.
  private static let (young, old, interval) = (2 * second, 10 * second, second / 10)
  /// Another clock time can't be.
  private static let latest: Int64 = 1 << 62

  private let kind: Kind
  private var readings: [Reading] = []
  /// Too far away from the line: they count if a third one in a row comes.
  private var suspects: [Reading] = []
  /// A point of the line, if it is known.
  private var reference: Reading?
  /// By how much more than 1 ``rate`` is.
  private var excessRate = 0.0
  private var prior = SlopePrior(slope: 0, spread: 50e-6, leastSpread: 2e-6)
  /// How often the device was found to have jumped.
  public private(set) var restarts = 0

  public init(kind: Kind) { self.kind = kind }

  /// Device nanoseconds for each nanosecond of the monotonic clock. What was learnt of it outlives ``reset()``.
  public var rate: Double { 1 + excessRate }

  public var isKnown: Bool { reference != nil }

  /// The running time that is heard at `monotonic`; nil until 200 ms are known (of a noisy device: 600 ms;
  /// of an exact one: two readings).
  public func running(at monotonic: Int64) -> Int64? {
    reference.map { reference in
      let distance = monotonic &- reference.monotonic
      return reference.running &+ distance &+ Int64(Double(distance) * excessRate)
    }
  }

  /// When the running time `running` is heard, by the monotonic clock; nil as in ``running(at:)``.
  public func monotonic(running: Int64) -> Int64? {
    reference.map { reference in
      let distance = running &- reference.running
      return reference.monotonic &+ distance &- Int64(Double(distance) * excessRate / rate)
    }
  }

  /// Begins anew: the device was opened again, or flushed.
  public mutating func reset() {
    (readings, suspects, reference) = ([], [], nil)
  }

  /// A reading; one that isn't later than the last is ignored.
  ///
  /// - Parameters:
  ///   - monotonic: the monotonic clock.
  ///   - running: the running time that was heard then.
  public mutating func add(monotonic: Int64, running: Int64) {
    guard (0...Self.latest).contains(monotonic), (0...Self.latest).contains(running),
      monotonic > suspects.last?.monotonic ?? readings.last?.monotonic ?? -1
    else { return }
    let reading = Reading(monotonic: monotonic, running: running)
    guard isBelievable(reading) else { return }
    readings.append(reading)
    let window = kind == .exact ? Self.old : 3 * Self.old
    let stale = readings.firstIndex { monotonic - $0.monotonic <= window } ?? 0
    readings.removeFirst(max(stale, readings.count - Self.mostReadings))
    let pause = span < Self.young ? 0 : span < Self.old - Self.second ? Self.interval : 2 * Self.interval
    if let reference, monotonic - reference.monotonic < pause { return }
    fit()
    noticeLag()
  }

  private var span: Int64 {
    guard let first = readings.first, let last = readings.last else { return 0 }
    return last.monotonic - first.monotonic
  }

  // MARK: Jumps

  /// How much less than by the line was heard.
  private func lag(_ reading: Reading) -> Int64 {
    running(at: reading.monotonic).map { $0 &- reading.running } ?? 0
  }

  /// A device jumps when it has run dry, or is moved. Three readings in a row say so.
  private mutating func isBelievable(_ reading: Reading) -> Bool {
    let lag = lag(reading)
    let isFar =
      switch kind {
      case .exact: abs(lag) > 200_000
      case .noisy: abs(lag) > 2_000_000
      // A line that is young lies too low, often.
      case .lagging:
        lag < 0
          ? lag < -2_000_000 && span >= Self.young
          : lag > 2_000_000 && lag - 2_000_000 > usualLag(of: readings[...])
      }
    guard isKnown, isFar else {
      suspects = []
      return true
    }
    if let last = suspects.last, (self.lag(last) < 0) != (lag < 0) { suspects = [] }
    suspects.append(reading)
    guard suspects.count >= 3 else {
      // A little noise of a noisy device is just that.
      return kind == .noisy && abs(lag) <= 3_000_000
    }
    readings = suspects.dropLast()
    (suspects, restarts) = ([], restarts + 1)
    return true
  }

  /// The lag that two of a hundred readings exceed. Of a few readings it isn't known: anything may be usual then.
  private func usualLag(of readings: ArraySlice<Reading>) -> Int64 {
    guard readings.count >= 10 else { return .max / 2 }
    return readings.map(lag).sorted()[readings.count - 1 - readings.count / 50]
  }

  /// A device whose readings lag differently may have jumped unnoticed. In two seconds some of them are right.
  private mutating func noticeLag() {
    guard kind == .lagging, span >= 2 * Self.young, let last = readings.last else { return }
    let recent = readings.suffix(while: { last.monotonic - $0.monotonic <= Self.young })
    guard recent.count >= 20, let least = recent.lazy.map(lag).min(), least > 2_000_000,
      least > usualLag(of: readings[..<recent.startIndex]) / 3
    else { return }
    readings = Array(recent)
    restarts += 1
    fit()
  }

  // MARK: The line

  /// Whether there are enough readings for a line. What a sound server says in the first half second isn't true yet.
  private var isEnough: Bool {
    switch kind {
    case .exact: readings.count >= 2
    case .lagging: span >= Self.second / 5
    case .noisy: span >= Self.second * 3 / 5
    }
  }

  private mutating func fit() {
    guard let last = readings.last, isEnough || isKnown else { return }
    let (slope, height) = line(at: last)
    if let reference, span >= Self.old - Self.second {
      prior.learn(slope, elapsed: last.monotonic - reference.monotonic)
    }
    excessRate = slope
    reference = Reading(monotonic: last.monotonic, running: last.running &+ Int64(height))
  }

  /// The line's slope against the monotonic clock, and its height above the last reading.
  private func line(at last: Reading) -> (slope: Double, height: Double) {
    let points = readings.map { reading in
      let x = reading.monotonic - last.monotonic
      return LowerHull.Point(x: Double(x), y: Double(reading.running - last.running - x))
    }
    switch kind {
    case .exact, .noisy:
      let line = ScatterLine(points, prior: prior, leastScatter: kind == .exact ? 10_000 : 50_000)
      return (min(max(line.slope, -Self.mostRate), Self.mostRate), line.height)
    case .lagging:
      let below = points.map { LowerHull.Point(x: $0.x, y: -$0.y) }
      let envelope = Envelope(below, near: -excessRate)
      let prior = prior
      let slope = SlopePrior.slope(most: Self.mostRate) { slope in
        prior.pull(slope: slope) - envelope.pull(slope: -slope)
      }
      return (slope, -envelope.height(slope: -slope))
    }
  }
}
