import Glibc

/// A thread for work that may block, one job after the other.
///
/// It begins with the first job and sleeps without a timer while there is none. (libdispatch, once it has run
/// anything, wakes up every second for good.)
package final class JobThread: Sendable {
  package typealias Job = @Sendable () -> Void

  /// What the thread shares with its owner. It must not keep the owner alive.
  // Safe to share: everything in it is used under `monitor` only.
  private final class Queue: @unchecked Sendable {
    let monitor = Monitor()
    var isRunning = false
    var isOver = false
    var jobs: [Job] = []
    var delayed: (due: UInt64, job: Job)?

    /// Waits for the next job; nil when there will be none.
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

  /// What was asked for is still done.
  deinit {
    let queue = queue
    queue.monitor.locked {
      queue.isOver = true
      queue.monitor.signalAll()
    }
  }

  /// Has `job` done as soon as those before it are. The caller sees to it that they don't pile up.
  package func perform(_ job: @escaping Job) {
    add { $0.jobs.append(job) }
  }

  /// Has `job` done after `delay`; of several that wait only the last one is.
  package func perform(after delay: Duration, _ job: @escaping Job) {
    let due = Self.time(in: delay)
    add { $0.delayed = (due, job) }
  }

  private func add(_ change: (Queue) -> Void) {
    let queue = queue
    queue.monitor.locked {
      change(queue)
      if !queue.isRunning {
        // Without a thread the jobs wait for the next attempt to make one.
        queue.isRunning = Thread.start(name: name) { while let job = queue.next() { job() } }
      }
      queue.monitor.signalAll()
    }
  }

  /// Nanoseconds of the monotonic clock.
  package static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// ``now`` and `delay` later, a day at most.
  package static func time(in delay: Duration) -> UInt64 {
    let (seconds, attoseconds) = min(max(delay, .zero), .seconds(86400)).components
    return now + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
