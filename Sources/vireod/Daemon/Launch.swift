import Glibc
import Logging
import NIOCore
import NIOPosix
import Player
import ServiceLifecycle
import Synchronization

/// From a configuration to a running daemon, and to its end.
enum Launch {
  /// How long stopping may take until what still runs is given up.
  static let patience = Duration.milliseconds(900)

  /// Runs until a signal, or a part that gives up, ends it.
  static func run(_ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded) throws {
    let signals = SignalQueue()
    let eventLoop = onlyEventLoop()
    let loggers = Loggers(settings: loaded.settings.log, sink: .standardError())
    let notifier = SystemdNotifier(path: environment("NOTIFY_SOCKET"))
    let daemon = Daemon(
      start(options, loader: loader, loaded: loaded, logger: loggers[.daemon]), eventLoop: eventLoop,
      loggers: loggers, notifier: notifier
    ) { onEvent in
      Sound(loaded.settings, logger: loggers[.output], onEvent: onEvent)
    }
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

  /// The one event loop, which also runs everything asynchronous: Swift's own pool would be a second set of threads,
  /// and libdispatch under it would wake an idle daemon every second.
  private static func onlyEventLoop() -> any EventLoop {
    NIOSingletons.groupLoopCountSuggestion = 1
    NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    return MultiThreadedEventLoopGroup.singleton.next()
  }

  private static func serviceGroup(_ daemon: Daemon, notifier: SystemdNotifier?, logger: Logger) -> ServiceGroup {
    // Stopped from the last to the first: goodbye to the network, silence, and then what is to be kept.
    var parts: [any Service] = [
      StopPart(description: "state") { await daemon.store.finish() },
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
