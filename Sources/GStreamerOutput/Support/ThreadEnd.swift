import Threads

/// Tells that a thread is over.
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

  /// Waits for ``signal()``, but not longer than `duration`.
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
