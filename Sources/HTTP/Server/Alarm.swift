import NIOCore

/// A timer for a deadline that moves often.
///
/// It is rescheduled only when the deadline moves closer, so it costs a busy connection nothing. It may therefore fire
/// early.
struct Alarm {
  private var timer: Scheduled<Void>?
  private var timerAt = NIODeadline.distantFuture

  /// Calls `fire` on `eventLoop` at `deadline` or earlier.
  mutating func set(
    _ deadline: NIODeadline, on eventLoop: any EventLoop, fire: @escaping @Sendable () -> Void
  ) {
    timer?.cancel()
    timerAt = deadline
    timer = eventLoop.scheduleTask(deadline: deadline, fire)
  }

  /// True when ``set(_:on:fire:)`` must be called for `deadline`.
  func isLate(for deadline: NIODeadline) -> Bool { timer == nil || deadline < timerAt }

  /// Must be called when the timer has fired.
  mutating func fired() { timer = nil }

  mutating func cancel() {
    timer?.cancel()
    timer = nil
  }
}
