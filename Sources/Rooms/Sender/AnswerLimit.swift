/// Bounds how often something is answered: at most so many times a second on average, and as many at once. Pure.
struct AnswerLimit: Equatable, Sendable {
  private static let second: Int64 = 1_000_000_000

  private let interval: Int64
  /// What was answered so far is paid for then; nanoseconds of the monotonic clock.
  private var paid = Int64.min

  /// - Parameter perSecond: at least 1.
  init(perSecond: Int64) { interval = Self.second / max(perSecond, 1) }

  /// Whether one more may be answered, which is then counted.
  mutating func allows(at now: Int64) -> Bool {
    let begin = max(paid, now)
    guard begin &- now <= Self.second &- interval else { return false }
    paid = begin &+ interval
    return true
  }
}
