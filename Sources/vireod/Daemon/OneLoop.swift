import CConcurrency
import NIOCore
import NIOPosix
import Synchronization

/// The one event loop, which also runs everything asynchronous that has no executor of its own: Swift's pool would be a
/// second set of threads, and libdispatch under it, once it has run anything, wakes an idle daemon every second.
///
/// SwiftNIO has the same (`unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor`), but looks the hook
/// up by name, and a program that has the runtime inside it has no such name.
enum OneLoop {
  private static let executor = Mutex<(any SerialExecutor)?>(nil)

  /// Makes the loop and has it run Swift's jobs. To be called once, before the first task.
  static func make() -> any EventLoop {
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    executor.withLock { $0 = loop.executor }
    cconcurrency_take_over { job in
      guard let job, let executor = OneLoop.executor.withLock({ $0 }) else { return }
      // An unowned job is the pointer that the runtime hands out, and nothing else.
      executor.enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
    }
    return loop
  }
}
