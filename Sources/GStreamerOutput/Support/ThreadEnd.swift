import Threads

/// Signals that a thread has ended.
// Safe to share: the flag is guarded by `monitor`.
final class ThreadEnd: @unchecked Sendable {
  private let monitor = Monitor()
  private var isOver = false

  func signal() {
    monitor.locked {
      isOver = true
      monitor.signalAll()
    }
  }

  /// Waits at most `duration` for ``signal()``; returns whether it came.
  @discardableResult
  func wait(_ duration: Duration) -> Bool {
    let deadline = MonotonicTime.now + duration
    return monitor.locked {
      while !isOver {
        guard monitor.wait(until: deadline) else { return isOver }
      }
      return true
    }
  }
}
