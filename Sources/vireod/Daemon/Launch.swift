import CLinux
import Glibc
import Logging
import NIOCore
import Player
import PlayerStore
import ServiceLifecycle
import Synchronization

/// Starts the daemon with a configuration, and stops it.
enum Launch {
  /// How long stopping in order may take. After that, the remaining parts stop at the same time.
  static let patience = Duration.milliseconds(900)
  /// The part of ``patience`` for saving to a slow disk. A save is never left half done.
  private static let saving = Duration.milliseconds(500)
  /// How long the last reports of what was heard may take, in addition to ``patience``.
  private static let reporting = Duration.seconds(1)

  /// Runs the daemon until a signal or a failing part ends it.
  static func run(_ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded) throws {
    let signals = SignalQueue()
    let eventLoop = SharedEventLoop.make()
    let loggers = Loggers(settings: loaded.settings.log, sink: .standardError())
    loggers.gate.set(timer: { time, call in
      eventLoop.scheduleTask(in: TimeAmount(time), call)
    })
    let notifier = SystemdNotifier(path: environment("NOTIFY_SOCKET"))
    let daemon = Daemon(
      start(options, loader: loader, loaded: loaded, logger: loggers[.daemon]), eventLoop: eventLoop,
      loggers: loggers, notifier: notifier
    ) { onEvent in
      MixerSoundSystem.make(
        Sound(loaded.settings, logger: loggers[.output], onEvent: onEvent), loaded.settings.audio,
        logger: loggers[.output])
    }
    let group = serviceGroup(daemon, notifier: notifier, logger: loggers[.daemon])
    let isStarted = Mutex(false)
    let end = Mutex<Result<Void, any Error>?>(nil)
    Task {
      do {
        try await daemon.run()
        isStarted.withLock { $0 = true }
        signals.wake()
        try await group.run()
        end.withLock { $0 = .success(()) }
      } catch {
        end.withLock { $0 = .failure(error) }
      }
      signals.wake()
    }
    var isTrimmed = false
    while true {
      // The last of the first announcements comes within three seconds.
      let isDue = !isTrimmed && isStarted.withLock { $0 }
      guard let signal = signals.next(seconds: isDue ? 4 : nil) else {
        trim()
        isTrimmed = true
        continue
      }
      switch signal {
      case .reload: Task { await daemon.reload() }
      case .stop: Task { await group.triggerGracefulShutdown() }
      case .woken:
        guard let result = end.withLock({ $0 }) else { continue }
        // The daemon may have ended without a signal, before it ended the hooks.
        try? eventLoop.submit { daemon.hooks.end() }.wait()
        daemon.hooks.wait()
        loggers.gate.flush()
        try result.get()
        loggers[.daemon].notice("stopped")
        // The output's thread may be loading a library. A normal exit would wait for that in the C library.
        // A thread that still calls a server uses what a normal exit takes apart.
        if !isSilent.withLock({ $0 }) || daemon.reports?.isCalling ?? false { _exit(ExitCode.ok.rawValue) }
        return
      }
    }
  }

  /// Gives back most of the code and heap that was used until the last announcement, since it isn't needed again.
  ///
  /// Without that, idle PSS is three times as much. The pages stay in the page cache, and the kernel takes unmapped ones first
  /// when memory is short. The first action then takes 0.9 ms instead of 0.6, and 85 page faults more. The main thread does
  /// it: the event loop would need its own pages again at once, and a thread for this alone would leave its stack behind.
  private static func trim() {
    clinux_trim_heap()
    clinux_drop_code_pages()
  }

  /// False when the output's thread is still busy with something that can't be interrupted.
  private static let isSilent = Mutex(true)

  private static func serviceGroup(_ daemon: Daemon, notifier: SystemdNotifier?, logger: Logger)
    -> ServiceGroup
  {
    // Stopped in reverse order: the network first, then sound, then hooks and state.
    let reportsEnd = SetOnce<NIODeadline>()
    var parts: [any Service] = [
      // Hooks and state are one part, since the remaining parts stop at the same time once ``patience`` has run out,
      // and the state must record what the last hook did.
      ShutdownService(description: "hooks and state") {
        await daemon.endHooks()
        await daemon.finishReports(until: reportsEnd.value ?? .now())
        _ = daemon.store?.close(within: saving)
      },
      ShutdownService(description: "sound") { isSilent.withLock { $0 = daemon.sound.shutdown() } },
      ShutdownService(description: "network") { await daemon.leaveNetwork() },
    ]
    if daemon.reports != nil {
      // Before the network goes: the last state of what plays is sent while the other parts stop.
      parts.append(
        ShutdownService(description: "reports") {
          reportsEnd.bind(.now() + TimeAmount(reporting))
          await daemon.endReports()
        })
    }
    if let notifier, let period = watchdogPeriod {
      parts.append(
        WatchdogService(daemon: daemon, notifier: notifier, period: period) {
          logger.error("the sound thread doesn't answer; systemd will restart vireod if that goes on")
        })
    }
    var configuration = ServiceGroupConfiguration(services: parts, logger: logger)
    configuration.maximumGracefulShutdownDuration = daemon.reports == nil ? patience : patience + reporting
    return ServiceGroup(configuration: configuration)
  }

  /// Collects what is known before the daemon runs: the saved state and the identity.
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

  /// The identity, for commands that don't run the daemon.
  static func identity(_ options: Options, _ settings: Settings, logger: Logger) -> DeviceIdentity {
    // A running daemon may have locked the store, which is needed only on a host without a machine ID.
    let host = MachineID.read() == nil ? openStore(options, logger: logger)?.host : nil
    return identity(settings, host: host ?? HostState()).0
  }

  /// Derives the identity.
  ///
  /// - Returns: The identity, and the ID that has to be saved for it to stay the same; nil when the host has a
  ///   machine ID.
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
