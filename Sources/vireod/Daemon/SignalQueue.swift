import Glibc

/// Receives signals on the main thread, which does nothing else.
///
/// This needs neither a signal handler, which interrupts other code, nor a dispatch source: once libdispatch has run
/// anything, it wakes up every second.
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

  /// Blocks the signals for this thread and all that it starts from now on.
  init() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the next signal.
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

  /// Makes ``next()`` return on the main thread.
  func wake() { kill(getpid(), Self.wakeUp) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGHUP, SIGTERM, SIGINT, wakeUp] { sigaddset(&set, number) }
    return set
  }
}
