import Glibc

/// A mutex and the condition that belongs to it, for threads that must block until it is their turn.
///
/// `Synchronization.Mutex` has no condition to wait on.
// Safe to share: the two POSIX objects are made for it and live as long as the instance.
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

  /// Inside ``locked(_:)`` only: lets go of the mutex until somebody signals.
  package func wait() {
    pthread_cond_wait(condition, mutex)
  }

  /// Inside ``locked(_:)`` only: as ``wait()``, until `nanoseconds` of the monotonic clock; false when that passed.
  package func wait(untilNanoseconds nanoseconds: UInt64) -> Bool {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    return pthread_cond_timedwait(condition, mutex, &time) == 0
  }

  package func signalAll() {
    pthread_cond_broadcast(condition)
  }
}
