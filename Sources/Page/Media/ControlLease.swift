import NIOCore

/// When the control point runs: from the first request that needs it until five minutes after the last one, and for as long as
/// a page follows what it finds, or tracks are handed over to a renderer.
///
/// A machine that knows no clock but the one it is given.
struct ControlLease: Sendable, Hashable {
  static let time = TimeAmount.minutes(5)

  /// Whether it runs.
  private(set) var isRunning = false
  /// Those who hold it until they release it.
  private(set) var holders = 0
  private var end: NIODeadline?

  /// When to look whether it is over; nil while it is held, and when nothing runs.
  var deadline: NIODeadline? { isRunning && holders == 0 ? end : nil }

  /// A request needs it. Returns true if it has to start.
  mutating func use(now: NIODeadline) -> Bool {
    end = now + Self.time
    defer { isRunning = true }
    return !isRunning
  }

  /// Somebody needs it until ``release(now:)``. Returns true if it has to start.
  mutating func hold(now: NIODeadline) -> Bool {
    holders += 1
    return use(now: now)
  }

  mutating func release(now: NIODeadline) {
    guard holders > 0 else { return }
    holders -= 1
    end = now + Self.time
  }

  /// True when it has to stop now; it has stopped then.
  mutating func isOver(now: NIODeadline) -> Bool {
    guard let deadline, deadline <= now else { return false }
    stop()
    return true
  }

  /// It stops, whoever holds it; they needn't release it any more.
  mutating func stop() { self = ControlLease() }
}
