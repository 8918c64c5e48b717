import NIOCore
import ServiceLifecycle

/// A service that already runs and only has to be stopped.
///
/// The group stops its services in the reverse order of its list.
struct ShutdownService: Service, CustomStringConvertible {
  /// The service's name in the log.
  let description: String
  let stop: @Sendable () async -> Void

  func run() async throws {
    try? await gracefulShutdown()
    await stop()
  }
}

/// Feeds systemd's watchdog from the event loop, each time after the output's thread has answered.
actor WatchdogService: Service, CustomStringConvertible {
  nonisolated var description: String { "watchdog" }
  private let daemon: Daemon
  private let notifier: SystemdNotifier
  private let period: Duration
  private let complain: @Sendable () -> Void
  private var watchdog = Watchdog()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    daemon.eventLoop.executor.asUnownedSerialExecutor()
  }

  init(
    daemon: Daemon, notifier: SystemdNotifier, period: Duration, complain: @escaping @Sendable () -> Void
  ) {
    self.daemon = daemon
    self.notifier = notifier
    self.period = period
    self.complain = complain
  }

  func run() async throws {
    let delay = TimeAmount(period)
    let task = daemon.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: delay) { _ in
      self.assumeIsolated { $0.tick() }
    }
    try? await gracefulShutdown()
    task.cancel()
  }

  private func tick() {
    switch watchdog.tick() {
    case .ask(let number):
      daemon.sound.ping {
        self.daemon.eventLoop.execute { self.assumeIsolated { $0.answered(number) } }
      }
    case .complain: complain()
    case .wait: break
    }
  }

  private func answered(_ number: UInt64) {
    if watchdog.answered(number) { notifier.alive() }
  }
}
