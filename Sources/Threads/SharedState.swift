import Glibc

/// A value that several threads change, one at a time, and that they can wait for.
///
/// `Synchronization.Mutex` has no condition variable, and ThreadSanitizer doesn't see it. So state that several threads
/// really use at the same time is in one of these.
// Safe to share: `value` is only accessed with the mutex locked. The two pointers never change, and pthread's functions
// may be called with them from any thread.
package final class SharedState<Value: Sendable>: @unchecked Sendable {
  /// What a thread that waits has found.
  package enum Finding<Result> {
    case result(Result)
    /// Look again after the next change, or at this time at the latest (nanoseconds of the monotonic clock; nil: no limit).
    case nothing(until: UInt64?)
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the value, without waking anybody.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Changes the value and wakes all that wait.
  @discardableResult
  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try withLock { value in
      defer { wakeAll() }
      return try body(&value)
    }
  }

  /// All that wait look at the value again. May be called inside ``withLock(_:)``.
  package func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until `body` finds a result. It is called with the mutex locked: at once, after each wake-up, and when the time
  /// that it named has come.
  package func find<Result>(_ body: (inout Value) -> Finding<Result>) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      switch body(&value) {
      case .result(let result): return result
      case .nothing(let time): sleep(until: time)
      }
    }
  }

  /// Waits until `body` returns a result. It is called with the mutex locked, at once and after each wake-up.
  package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    find { value in body(&value).map { .result($0) } ?? .nothing(until: nil) }
  }

  /// Like ``wait(_:)``, but no longer than until `nanoseconds` of the monotonic clock; nil if that has passed.
  package func wait<Result>(untilNanoseconds nanoseconds: UInt64, _ body: (inout Value) -> Result?) -> Result?
  {
    find { value in
      if let result = body(&value) { return .result(result) }
      return JobThread.now >= nanoseconds ? .result(nil) : .nothing(until: nanoseconds)
    }
  }

  /// Unlocks the mutex until the next wake-up, but no longer than until `nanoseconds` of the monotonic clock.
  private func sleep(until nanoseconds: UInt64?) {
    guard let nanoseconds else {
      pthread_cond_wait(condition, mutex)
      return
    }
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    pthread_cond_timedwait(condition, mutex, &time)
  }
}
