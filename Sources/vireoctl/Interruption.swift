import Glibc
import Threads

/// SIGINT, SIGTERM and SIGHUP.
enum Interruption {
  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    return signals
  }

  /// Keeps them from ending the program; before any thread is made.
  static func hold() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Calls `body` on the first of them; the second ends the program at once.
  static func onSignal(_ body: @escaping @Sendable () -> Void) {
    Thread.start(name: "signals") {
      var signals = Self.signals
      var number: CInt = 0
      guard sigwait(&signals, &number) == 0 else { return }
      body()
      guard sigwait(&signals, &number) == 0 else { return }
      _exit(ExitStatus.interrupted.rawValue)
    }
  }
}
