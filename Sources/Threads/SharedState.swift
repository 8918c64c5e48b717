/// A value that several threads change, one at a time, and that they can wait for.
///
/// `Synchronization.Mutex` has no condition variable, and ThreadSanitizer doesn't see it: what several threads really use
/// at the same time is in one of these.
// Safe to share: `value` is only accessed under `monitor`.
package final class SharedState<Value: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Reads or changes the value, without waking anybody.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try monitor.locked { try body(&value) }
  }

  /// Changes the value and wakes all that wait.
  @discardableResult
  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try monitor.locked {
      defer { monitor.signalAll() }
      return try body(&value)
    }
  }

  /// All that wait look at the value again. May be called inside ``withLock(_:)``.
  package func wakeAll() { monitor.signalAll() }

  /// Waits until `body` returns a result. It is called under the lock, at once and after each wake-up.
  package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    monitor.locked {
      while true {
        if let result = body(&value) { return result }
        monitor.wait()
      }
    }
  }

  /// Like ``wait(_:)``, but no longer than until `nanoseconds` of the monotonic clock; nil if that has passed.
  package func wait<Result>(untilNanoseconds nanoseconds: UInt64, _ body: (inout Value) -> Result?) -> Result?
  {
    monitor.locked {
      while true {
        if let result = body(&value) { return result }
        guard monitor.wait(untilNanoseconds: nanoseconds) else { return body(&value) }
      }
    }
  }
}
