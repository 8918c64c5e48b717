import CoreMetrics
import Glibc
import Logging
import Player
import PlayerStore
import ServiceLifecycle
import Synchronization

/// From a configuration to a running daemon, and to its end.
enum Launch {
  /// How long stopping may take until what still runs is given up.
  static let patience = Duration.milliseconds(900)
  /// How long of it a slow disk gets. It never has half of anything.
  private static let saving = Duration.milliseconds(500)

  /// Runs until a signal, or a part that gives up, ends it.
  static func run(_ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded) throws {
    let signals = SignalQueue()
    let eventLoop = OneLoop.make()
    let loggers = Loggers(settings: loaded.settings.log, sink: .standardError())
    let notifier = SystemdNotifier(path: environment("NOTIFY_SOCKET"))
    let daemon = Daemon(
      start(options, loader: loader, loaded: loaded, logger: loggers[.daemon]), eventLoop: eventLoop,
      loggers: loggers, notifier: notifier
    ) { onEvent in
      MixedSound.make(
        Sound(loaded.settings, logger: loggers[.output], onEvent: onEvent), loaded.settings.audio,
        logger: loggers[.output])
    }
    if let metrics = daemon.metrics { MetricsSystem.bootstrap(metrics.registry) }
    let group = serviceGroup(daemon, notifier: notifier, logger: loggers[.daemon])
    let end = Mutex<Result<Void, any Error>?>(nil)
    Task {
      do {
        try await daemon.run()
        try await group.run()
        end.withLock { $0 = .success(()) }
      } catch {
        end.withLock { $0 = .failure(error) }
      }
      signals.wake()
    }
    while true {
      switch signals.next() {
      case .reload: Task { await daemon.reload() }
      case .stop: Task { await group.triggerGracefulShutdown() }
      case .woken:
        guard let result = end.withLock({ $0 }) else { continue }
        try result.get()
        return loggers[.daemon].notice("stopped")
      }
    }
  }

  private static func serviceGroup(_ daemon: Daemon, notifier: SystemdNotifier?, logger: Logger)
    -> ServiceGroup
  {
    // Stopped from the last to the first: goodbye to the network, silence, and then what is to be kept.
    var parts: [any Service] = [
      StopPart(description: "state") { _ = daemon.store?.close(within: saving) },
      StopPart(description: "hooks") { daemon.hooks.close() },
      StopPart(description: "sound") { daemon.sound.shutdown() },
      StopPart(description: "network") { await daemon.leaveNetwork() },
    ]
    if let notifier, let period = watchdogPeriod {
      parts.append(
        WatchdogPart(daemon: daemon, notifier: notifier, period: period) {
          logger.error("the sound thread doesn't answer; systemd will restart vireod if that goes on")
        })
    }
    var configuration = ServiceGroupConfiguration(services: parts, logger: logger)
    configuration.maximumGracefulShutdownDuration = patience
    return ServiceGroup(configuration: configuration)
  }

  /// What is known of earlier runs, and who we are.
  private static func start(
    _ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded, logger: Logger
  ) -> Daemon.Start {
    let kept = openStore(options, logger: logger)
    if kept == nil {
      logger.warning("no directory to keep state in; give one with --state-dir, or set HOME")
    }
    let host = kept?.host ?? HostState()
    let (identity, installationID) = identity(loaded.settings, host: host)
    return Daemon.Start(
      loader: loader, loaded: loaded, store: kept?.store, host: host, player: kept?.store.load(),
      identity: identity, installationID: installationID,
      bootID: BootID.next(after: host.bootID, unixTime: time(nil)), formatKey: FormatCache.key)
  }

  private static func openStore(_ options: Options, logger: Logger) -> (store: PlayerStore, host: HostState)?
  {
    StateDirectory.choose(option: options.stateDirectory, environment: environment)
      .map { PlayerStore.open(directory: $0, logger: logger) }
  }

  /// Who we are, for somebody who only wants to know.
  static func identity(_ options: Options, _ settings: Settings, logger: Logger) -> DeviceIdentity {
    // The running daemon has the store; most hosts can do without.
    let host = MachineID.read() == nil ? openStore(options, logger: logger)?.host : nil
    return identity(settings, host: host ?? HostState()).0
  }

  /// - Returns: also what has to be kept for the identity to stay the same.
  private static func identity(_ settings: Settings, host: HostState) -> (DeviceIdentity, String?) {
    if let id = MachineID.read() {
      return (DeviceIdentity(configured: settings.device.uuid, machineID: id), nil)
    }
    var random = SystemRandomNumberGenerator()
    let id = host.installationID.map { Array($0.utf8) } ?? MachineID.random(using: &random)
    return (
      DeviceIdentity(configured: settings.device.uuid, machineID: id), String(decoding: id, as: UTF8.self)
    )
  }

  private static var watchdogPeriod: Duration? {
    Watchdog.period(
      microseconds: environment("WATCHDOG_USEC"), forProcess: environment("WATCHDOG_PID"), process: getpid())
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
