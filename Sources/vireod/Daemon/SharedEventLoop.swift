import CConcurrency
import NIOCore
import NIOPosix
import Synchronization

/// The single event loop, which is also the global executor for Swift concurrency.
///
/// Swift's own thread pool would be a second set of threads, and the libdispatch below it, once it has run anything,
/// wakes an idle daemon every second.
///
/// SwiftNIO has a function for this (`unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor`), but it
/// looks up the runtime's hook by name, which a program with a statically linked runtime doesn't export.
enum SharedEventLoop {
  private static let loop = Mutex<(any EventLoop)?>(nil)

  /// Creates the loop and makes it run Swift's jobs. Call once, before the first task.
  static func make() -> any EventLoop {
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    Self.loop.withLock { $0 = loop }
    // An `UnownedJob` is nothing but the pointer that the runtime passes.
    cconcurrency_set_enqueue_hook { job in
      guard let job, let loop = SharedEventLoop.loop.withLock({ $0 }) else { return }
      loop.executor.enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
    }
    cconcurrency_set_delay_hook { nanoseconds, job in
      guard let job, let loop = SharedEventLoop.loop.withLock({ $0 }) else { return }
      let late = unsafeBitCast(job, to: UnownedJob.self)
      // A century, since a deadline is a number of nanoseconds since the start of the host.
      let delay = TimeAmount.nanoseconds(min(nanoseconds, 3_000_000_000_000_000_000))
      _ = loop.scheduleTask(in: delay) { loop.executor.enqueue(ExecutorJob(late)) }
    }
    return loop
  }
}
