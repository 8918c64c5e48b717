import Glibc
import Threads

/// SIGINT, SIGTERM and SIGHUP.
enum Interruption {
  /// A pipe from the handler to the thread that waits. Swift's main thread takes signals with an empty mask once `main`
  /// waits, so that blocking them, and waiting with `sigwait`, wouldn't do.
  private static let ends: (reading: CInt, writing: CInt) = {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// Keeps them from ending the program; also when whoever started it ignores them, as shells do for background jobs.
  static func hold() {
    // Made here: a handler may only use what is there.
    guard ends.writing >= 0 else { return }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { _ in
        var byte: UInt8 = 0
        _ = Glibc.write(Interruption.ends.writing, &byte, 1)
      }
    }
  }

  /// Calls `body` on the first of them; the second ends the program at once.
  static func onSignal(_ body: @escaping @Sendable () -> Void) {
    Thread.start(name: "signals") {
      guard wait() else { return }
      body()
      guard wait() else { return }
      _exit(ExitStatus.interrupted.rawValue)
    }
  }

  private static func wait() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(ends.reading, &byte, 1)
      if count < 0, errno == EINTR { continue }
      return count == 1
    }
  }
}
