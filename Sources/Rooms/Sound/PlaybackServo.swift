/// Keeps what is heard at the time at which it is due, by playing faster or slower by some millionths. Pure.
///
/// A proportional and an integral part: the integral learns how much the two clocks differ, so that no error is left.
struct PlaybackServo: Sendable {
  private static let most = 500e-6
  private static let mostAtFirst = 1500e-6
  /// Errors up to this many nanoseconds are left alone: the measurement isn't better.
  private static let tolerance = 10_000.0
  /// The time in which an error is taken out, in seconds.
  private static let settling = 4.0
  /// An error above this many nanoseconds for half a second is jumped over.
  private static let jump: Int64 = 10_000_000
  private static let jumpAfter: Int64 = 500_000_000

  private var latest: [Int64] = []
  private var learned = 0.0
  private var started: Int64?
  private var before: Int64?
  private var isFarSince: Int64?

  /// What was measured is smoothed over so many blocks.
  private static let blocks = 21

  /// The median of the latest errors, in nanoseconds; positive: too early.
  private(set) var error: Int64 = 0

  /// How many samples of the stream pass while one is played, for the next block; nil: jump to where it should be.
  ///
  /// - Parameters:
  ///   - error: nanoseconds by which the next sample would sound too early.
  ///   - now: nanoseconds of the monotonic clock.
  mutating func ratio(error measured: Int64, at now: Int64) -> Double? {
    latest.append(measured)
    if latest.count > Self.blocks { latest.removeFirst() }
    error = latest.sorted()[latest.count / 2]
    let start = started ?? now
    started = start
    guard abs(measured) > Self.jump else {
      isFarSince = nil
      return 1 + correction(at: now, isNew: now - start < 3_000_000_000)
    }
    let since = isFarSince ?? now
    isFarSince = since
    if now - since >= Self.jumpAfter {
      (latest, error) = ([], 0)
      (isFarSince, started, before) = (nil, nil, nil)
      return nil
    }
    return 1 + learned
  }

  private mutating func correction(at now: Int64, isNew: Bool) -> Double {
    let error = Double(self.error)
    let seconds = Double(now - (before ?? now)) / 1e9
    before = now
    let limit = isNew ? Self.mostAtFirst : Self.most
    let effective = abs(error) < Self.tolerance ? 0 : error
    // Critically damped: the integral part is a quarter of the square of the proportional one.
    let strength = 1 / Self.settling
    learned = min(
      max(learned - effective / 1e9 * strength * strength / 4 * min(seconds, 1), -Self.most), Self.most)
    return min(max(learned - effective / 1e9 * strength, -limit), limit)
  }
}
