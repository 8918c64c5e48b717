import Glibc

/// Signals, waited for by the main thread, which has nothing else to do.
///
/// Neither a handler that interrupts something else nor a dispatch source: libdispatch, once it runs anything, wakes
/// up every second for good.
struct SignalQueue: Sendable {
  enum Signal {
    /// SIGHUP
    case reload
    /// SIGTERM, SIGINT
    case stop
    /// ``wake()``
    case woken
  }

  private static let wakeUp = SIGUSR1

  /// Holds the signals back for this thread and all that it starts from now on.
  init() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the next one.
  func next() -> Signal {
    var set = Self.set
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    switch number {
    case SIGHUP: return .reload
    case Self.wakeUp: return .woken
    default: return .stop
    }
  }

  /// Has ``next()`` return on the main thread.
  func wake() { kill(getpid(), Self.wakeUp) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGHUP, SIGTERM, SIGINT, wakeUp] { sigaddset(&set, number) }
    return set
  }
}
