import Logging
import NIOCore

/// Limits messages that an attacker can trigger at will: one a minute per reason, with the number suppressed.
package struct LimitLog<Reason: Hashable> {
  private static var pause: TimeAmount { .seconds(60) }

  private var last: [Reason: (at: NIODeadline, suppressed: Int)] = [:]

  package init() {}

  /// Returns whether to log `reason` now, and how many times it was suppressed since the last time.
  package mutating func shouldLog(_ reason: Reason, now: NIODeadline) -> (suppressed: Int, Bool) {
    guard let entry = last[reason], now - entry.at < Self.pause else {
      let suppressed = last[reason]?.suppressed ?? 0
      last[reason] = (now, 0)
      return (suppressed, true)
    }
    last[reason] = (entry.at, entry.suppressed + 1)
    return (0, false)
  }
}
