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

  /// Waits for the next signal; nil when none has come within `seconds`, if there is such a limit.
  func next(seconds: Int?) -> Signal? {
    var set = Self.set
    var time = timespec(tv_sec: seconds ?? 0, tv_nsec: 0)
    var number: Int32 = -1
    repeat {
      number = seconds == nil ? sigwaitinfo(&set, nil) : sigtimedwait(&set, nil, &time)
    } while number < 0 && errno == EINTR
    switch number {
    case ..<0: return nil
    case SIGHUP: return .reload
    case Self.wakeUp: return .woken
    default: return .stop
    }
  }

  /// Makes ``next(seconds:)`` return on the main thread.
  func wake() { kill(getpid(), Self.wakeUp) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGHUP, SIGTERM, SIGINT, wakeUp] { sigaddset(&set, number) }
    return set
  }
}
