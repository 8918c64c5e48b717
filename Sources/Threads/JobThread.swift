import Glibc

/// A thread for work that may block; it runs one job after another.
///
/// It starts with the first job and sleeps without a timer while there is none. (Once libdispatch has run anything, it
/// wakes up every second for good.)
package final class JobThread: Sendable {
  package typealias Job = @Sendable () -> Void

  /// What the thread and its owner share; it must not keep the owner alive.
  private struct Queue: Sendable {
    var isRunning = false
    var isOver = false
    var jobs: [Job] = []
    var delayed: (due: UInt64, job: Job)?

    /// The next job; a nil job when no more will come.
    mutating func next() -> SharedState<Queue>.Finding<Job?> {
      if !jobs.isEmpty { return .result(jobs.removeFirst()) }
      guard let delayed else { return isOver ? .result(nil) : .nothing(until: nil) }
      guard delayed.due <= JobThread.now else { return .nothing(until: delayed.due) }
      self.delayed = nil
      return .result(delayed.job)
    }
  }

  private let name: String
  private let queue = SharedState(Queue())

  package init(name: String) { self.name = name }

  /// Jobs that are already queued still run.
  deinit { queue.change { $0.isOver = true } }

  /// Queues `job` behind the jobs before it; the caller must not let them pile up.
  package func perform(_ job: @escaping Job) {
    add { $0.jobs.append(job) }
  }

  /// Runs `job` after `delay`; it replaces a delayed job that is still waiting.
  package func perform(after delay: Duration, _ job: @escaping Job) {
    let due = Self.time(in: delay)
    add { $0.delayed = (due, job) }
  }

  private func add(_ change: (inout Queue) -> Void) {
    queue.change { [queue] state in
      change(&state)
      guard !state.isRunning else { return }
      // If no thread can be made, the jobs stay queued until the next call tries again.
      state.isRunning = Thread.start(name: name) {
        while let job = queue.find({ $0.next() }) { job() }
      }
    }
  }

  /// The monotonic clock, in nanoseconds.
  package static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The monotonic clock after `delay`, in nanoseconds; `delay` is limited to one day.
  package static func time(in delay: Duration) -> UInt64 {
    let (seconds, attoseconds) = min(max(delay, .zero), .seconds(86400)).components
    return now + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
