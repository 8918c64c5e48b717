import Glibc
import Logging
import NIOPosix
import Player
import ServiceLifecycle

/// From a configuration to a running daemon, and to its end.
enum Launch {
  /// How long stopping may take until what still runs is given up.
  static let patience = Duration.milliseconds(900)

  static func run(_ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded) async throws {
    let loggers = Loggers(settings: loaded.settings.log, sink: .standardError())
    let logger = loggers[.daemon]
    let notifier = SystemdNotifier(path: environment("NOTIFY_SOCKET"))
    let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let daemon = Daemon(
      start(options, loader: loader, loaded: loaded, logger: logger), eventLoop: eventLoop,
      loggers: loggers, notifier: notifier
    ) { onEvent in
      MixedSound.make(
        Sound(loaded.settings, logger: loggers[.output], onEvent: onEvent), loaded.settings.audio,
        logger: loggers[.output])
    }
    try await daemon.run()

    // Stopped from the last to the first: goodbye to the network, silence, and then what is to be kept.
    var parts: [any Service] = [
      StopPart(description: "state") { await daemon.store.finish() },
      StopPart(description: "hooks") { daemon.hooks.close() },
      StopPart(description: "sound") { daemon.sound.shutdown() },
      StopPart(description: "network") { await daemon.leaveNetwork() },
      ReloadPart(daemon: daemon),
    ]
    if let notifier, let period = watchdogPeriod {
      parts.append(
        WatchdogPart(daemon: daemon, notifier: notifier, period: period) {
          logger.error("the sound thread doesn't answer; systemd will restart vireod if that goes on")
        })
    }
    var configuration = ServiceGroupConfiguration(
      services: parts, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = patience
    try await ServiceGroup(configuration: configuration).run()
    logger.notice("stopped")
  }

  /// What is known of earlier runs, and who we are.
  static func start(
    _ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded, logger: Logger
  ) -> Daemon.Start {
    let directory = StateDirectory.choose(option: options.stateDirectory, environment: environment)
    let file = directory.map(StateFile.init)
    let saved = file.flatMap { load($0, logger: logger) }
    if file == nil {
      logger.warning("no directory to keep state in; give one with --state-dir, or set HOME")
    }
    var random = SystemRandomNumberGenerator()
    var installationID: String?
    let machineID =
      MachineID.read()
      ?? {
        let id = saved?.installationID.map { Array($0.utf8) } ?? MachineID.random(using: &random)
        installationID = String(decoding: id, as: UTF8.self)
        return id
      }()
    return Daemon.Start(
      loader: loader, loaded: loaded, saved: saved, stateFile: file,
      identity: DeviceIdentity(configured: loaded.settings.device.uuid, machineID: machineID),
      installationID: installationID,
      bootID: BootID.next(after: saved?.bootID ?? 0, unixTime: time(nil)),
      formatKey: FormatCache.key)
  }

  private static func load(_ file: StateFile, logger: Logger) -> SavedState? {
    switch file.load(date: LogTime.now().filter { !"-: ".contains($0) }) {
    case .state(let state): return state
    case .absent: return nil
    case .setAside(let reason, let keptAs):
      logger.warning(
        "state \(file.path) can't be used: \(reason); starting without. \(keptAs.map { "It was moved to \($0)" } ?? "It will be overwritten")"
      )
    case .unreadable(let failure):
      logger.warning("state \(file.path) can't be read: \(failure.reason); starting without")
    }
    return nil
  }

  private static var watchdogPeriod: Duration? {
    Watchdog.period(
      microseconds: environment("WATCHDOG_USEC"), forProcess: environment("WATCHDOG_PID"), process: getpid())
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
