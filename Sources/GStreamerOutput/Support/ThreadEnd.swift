import Threads

/// Signals that a thread has ended.
final class ThreadEnd: Sendable {
  private let isOver = SharedState(false)

  func signal() {
    isOver.change { $0 = true }
  }

  /// Waits at most `duration` for ``signal()``; returns whether it came.
  @discardableResult
  func wait(_ duration: Duration) -> Bool {
    let deadline = MonotonicTime.now + duration
    return isOver.wait(until: deadline) { $0 ? true : nil } ?? false
  }
}
