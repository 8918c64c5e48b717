import Glibc

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
    // Shells ignore it for background jobs, and what is ignored can't be waited for.
    signal(SIGINT, SIG_DFL)
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Returns when one of them comes.
  static func wait() {
    var signals = signals
    var number: CInt = 0
    while sigwait(&signals, &number) != 0 {}
  }
}
