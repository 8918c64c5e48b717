import NIOCore

/// When to search: three times, since datagrams get lost, and again every five minutes.
struct SearchPlan: Sendable {
  static let repeats: [TimeAmount] = [.seconds(0), .seconds(1), .seconds(3)]
  static let interval = TimeAmount.minutes(5)
  /// The shortest time between two searches, whoever asks.
  static let shortestPause = TimeAmount.milliseconds(500)

  /// When the present series of searches began; nil when nobody looks.
  private var begun: NIODeadline?
  /// How many of the series are done.
  private var done = 0
  private var last: NIODeadline?

  /// When ``isDue(now:)`` is next true; nil when nobody looks.
  var nextDeadline: NIODeadline? {
    guard let begun else { return nil }
    let next = done < Self.repeats.count ? begun + Self.repeats[done] : begun + Self.interval
    return max(next, last.map { $0 + Self.shortestPause } ?? next)
  }

  /// Begins a new series, since somebody looks for something else, or elsewhere.
  mutating func begin(now: NIODeadline) {
    begun = now
    done = 0
  }

  mutating func end() { self = SearchPlan() }

  /// True when a search is due; counts it as done.
  mutating func isDue(now: NIODeadline) -> Bool {
    guard let nextDeadline, nextDeadline <= now else { return false }
    if done == Self.repeats.count { begin(now: now) }
    done += 1
    last = now
    return true
  }
}
