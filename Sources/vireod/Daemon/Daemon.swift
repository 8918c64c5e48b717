import CLinux
import Logging
import NIOCore
import Player
import PlayerStore
import UPnP

/// The running daemon: its parts, put together, started in the order that has it announced soonest, and changed
/// when the configuration is read again.
actor Daemon {
  nonisolated let eventLoop: any EventLoop
  nonisolated let store: PlayerStore?
  nonisolated let player: PlayerCore
  nonisolated let sound: any SoundSystem
  nonisolated let host: DeviceHost
  nonisolated let monitor: NetworkMonitor
  nonisolated let loggers: Loggers
  nonisolated let logger: Logger
  nonisolated let notifier: SystemdNotifier?
  nonisolated let status: StatusSource
  nonisolated let presets: RadioPresets
  nonisolated let url = ServerURL()
  nonisolated let hooks: HookRunner
  nonisolated let metrics: MetricsSource?
  let loader: SettingsLoader
  let devices: Devices
  let start: Start
  let shuffleSeed: UInt64
  let isFirstStart: Bool
  var settings: Settings
  var roots: [RootDevice]
  /// nil until the network was looked at.
  var isSeen: Bool?
  var discovery: Discovery?
  /// Where it is served, once it is.
  private(set) var listening: DeviceHost.Listening?

  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  /// Makes all parts; none of them runs yet.
  ///
  /// - Parameter makeSound: Gets the handler for what the output reports.
  init(
    _ start: Start, eventLoop: any EventLoop, loggers: Loggers, notifier: SystemdNotifier?,
    makeSound: (@escaping @Sendable (OutputEvent) -> Void) -> any SoundSystem
  ) {
    let settings = start.loaded.settings
    let shuffleSeed = UInt64.random(in: .min ... .max)
    let bound = LateBound<PlayerCore>()
    let sound = makeSound { event in
      // In order, since the loop takes what it is given in order.
      eventLoop.execute { bound.value?.assumeIsolated { $0.receive(event) } }
    }
    presets = RadioPresets(eventLoop: eventLoop, sound: sound, logger: loggers[.player])
    let edge = PlayerEdge(
      eventLoop: eventLoop, sound: sound, store: start.store, presets: presets, logger: loggers[.player])
    let player = PlayerCore(
      executor: eventLoop.executor, configuration: settings.playerConfiguration(shuffleSeed: shuffleSeed),
      output: sound,
      clock: { PlayerInstant(nanoseconds: Int64(NIODeadline.now().uptimeNanoseconds)) },
      initial: start.player, edge: { edge.perform($0, for: $1) })
    bound.bind(player)
    devices = Devices(
      identity: start.identity, player: player, settings: settings, loggers: loggers,
      base: { [url] in url.text })
    roots = devices.roots(settings)
    let status = StatusSource(player: player)
    status.set(settings, devices: roots)
    var pages: [String: @Sendable () -> HTTPPage] = [Devices.statusPath: { status.page() }]
    let lateHost = LateBound<DeviceHost>()
    let metrics =
      settings.metrics.enabled ? MetricsSource(settings, player: player, host: lateHost, sound: sound) : nil
    if let metrics { pages[MetricsSource.path] = { metrics.page() } }
    host = DeviceHost(
      eventLoop: eventLoop, configuration: settings.hostConfiguration, devices: roots, pages: pages,
      logger: loggers[.http], eventLogger: loggers[.events])
    lateHost.bind(host)
    status.set(host: host)
    hooks = HookRunner(player: player, logger: loggers[.daemon])
    monitor = NetworkMonitor(eventLoop: eventLoop, logger: loggers[.network])
    store = start.store
    self.eventLoop = eventLoop
    self.player = player
    self.sound = sound
    self.loggers = loggers
    self.notifier = notifier
    self.status = status
    // The playlist as it was saved lives in the player from now on, and only as long as it stays there.
    var start = start
    isFirstStart = start.player == nil
    start.player = nil
    self.metrics = metrics
    self.start = start
    self.shuffleSeed = shuffleSeed
    self.settings = settings
    loader = start.loader
    logger = loggers[.daemon]
  }

  /// Serves and announces. What takes its time (a sound device, looking through decoders, the disk) comes after.
  ///
  /// - Throws: ``ExitCode/unavailable`` when the HTTP port can't be had.
  func run() async throws(ExitCode) {
    if roots.isEmpty {
      logger.warning(
        "no device is enabled, so nobody will find this; see [upnp-av] enabled and [openhome] enabled")
    }
    let listening = try await listen()
    let port = listening.port
    url.set(port: port)
    self.listening = listening
    try announce(port: port)
    let name = FriendlyName.make(settings.device, hostName: FriendlyName.hostName)
    notifier?.ready(status: "Serving as \(name) on port \(port)")
    logger.notice("vireod \(Version.text) is \(name), port \(port)")
    watchPlayer()
    sound.attach(to: player)
    hooks.set(settings.hooks)
    metrics?.begin()
    keep()
    readPresets()
    if knownFormats == nil { findMIMETypes() }
    forgetStart()
  }

  /// Most of what has run until the last announcement is needed for a start only, and need not stay in memory for years.
  private func forgetStart() {
    eventLoop.scheduleTask(in: .seconds(4)) {
      _ = clinux_trim_heap()
      clinux_unmap_code()
    }
  }

  /// Views of the player change with it, and subscribers are told.
  private func watchPlayer() {
    let (host, sound) = (host, sound)
    _ = player.assumeIsolated { player in
      player.observe { old, new in
        host.assumeIsolated { $0.stateChanged() }
        // Between being told what to play and being told to play it there is time to load.
        if new.currentTrack != nil, new.currentTrack != old.currentTrack { sound.begin() }
      }
    }
  }
}
