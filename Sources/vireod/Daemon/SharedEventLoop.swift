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
  private static let executor = Mutex<(any SerialExecutor)?>(nil)

  /// Creates the loop and makes it run Swift's jobs. Call once, before the first task.
  static func make() -> any EventLoop {
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    executor.withLock { $0 = loop.executor }
    cconcurrency_set_enqueue_hook { job in
      guard let job, let executor = SharedEventLoop.executor.withLock({ $0 }) else { return }
      // An `UnownedJob` is nothing but the pointer that the runtime passes.
      executor.enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
    }
    return loop
  }
}
