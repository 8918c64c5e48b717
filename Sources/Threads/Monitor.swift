import Glibc

/// A mutex with its condition variable, for threads that must block until it is their turn.
///
/// `Synchronization.Mutex` has no condition variable.
package final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
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

  package func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Unlocks the mutex until a signal arrives; only inside ``locked(_:)``.
  package func wait() {
    pthread_cond_wait(condition, mutex)
  }

  /// Like ``wait()``, but no longer than `nanoseconds` of the monotonic clock; false on timeout.
  package func wait(untilNanoseconds nanoseconds: UInt64) -> Bool {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    return pthread_cond_timedwait(condition, mutex, &time) == 0
  }

  package func signalAll() {
    pthread_cond_broadcast(condition)
  }
}
