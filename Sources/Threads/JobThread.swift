import Glibc

/// A thread for work that may block; it runs one job after another.
///
/// It starts with the first job and sleeps without a timer while there is none. (Once libdispatch has run anything, it
/// wakes up every second for good.)
package final class JobThread: Sendable {
  package typealias Job = @Sendable () -> Void

  /// State shared between the thread and its owner; it must not keep the owner alive.
  // Safe to share: all of it is accessed under `monitor` only.
  private final class Queue: @unchecked Sendable {
    let monitor = Monitor()
    var isRunning = false
    var isOver = false
    var jobs: [Job] = []
    var delayed: (due: UInt64, job: Job)?

    /// Waits for the next job; nil when no more will come.
    func next() -> Job? {
      monitor.locked {
        while true {
          if !jobs.isEmpty { return jobs.removeFirst() }
          if let delayed {
            if delayed.due <= JobThread.now {
              self.delayed = nil
              return delayed.job
            }
            _ = monitor.wait(untilNanoseconds: delayed.due)
          } else if isOver {
            return nil
          } else {
            monitor.wait()
          }
        }
      }
    }
  }

  private let name: String
  private let queue = Queue()

  package init(name: String) { self.name = name }

  /// Jobs that are already queued still run.
  deinit {
    let queue = queue
    queue.monitor.locked {
      queue.isOver = true
      queue.monitor.signalAll()
    }
  }

  /// Queues `job` behind the jobs before it; the caller must not let them pile up.
  package func perform(_ job: @escaping Job) {
    add { $0.jobs.append(job) }
  }

  /// Runs `job` after `delay`; it replaces a delayed job that is still waiting.
  package func perform(after delay: Duration, _ job: @escaping Job) {
    let due = Self.time(in: delay)
    add { $0.delayed = (due, job) }
  }

  private func add(_ change: (Queue) -> Void) {
    let queue = queue
    queue.monitor.locked {
      change(queue)
      if !queue.isRunning {
        // If no thread can be made, the jobs stay queued until the next call tries again.
        queue.isRunning = Thread.start(name: name) { while let job = queue.next() { job() } }
      }
      queue.monitor.signalAll()
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
