import CLinux
import Logging
import NIOCore
import Player
import PlayerStore
import UPnP

/// The running daemon: its parts, put together, started in the order that has it announced soonest, and changed
/// when the configuration is read again.
actor Daemon {
  /// All that is known before anything runs.
  struct Start: Sendable {
    var loader: SettingsLoader
    var loaded: SettingsLoader.Loaded
    /// nil when there is no directory to keep anything in.
    var store: PlayerStore?
    /// What was kept of the last run.
    var host = HostState()
    /// nil when the player was never saved.
    var player: PlayerSnapshot?
    var identity: DeviceIdentity
    /// What the identity is made of, where it has to be kept.
    var installationID: String?
    var bootID: UInt32
    /// ``FormatCache/key``
    var formatKey: String?
  }

  nonisolated let eventLoop: any EventLoop
  nonisolated let store: PlayerStore?
  nonisolated let player: PlayerCore
  nonisolated let sound: any SoundSystem
  private nonisolated let host: DeviceHost
  private nonisolated let monitor: NetworkMonitor
  private nonisolated let loggers: Loggers
  private nonisolated let logger: Logger
  private nonisolated let notifier: SystemdNotifier?
  private nonisolated let status: StatusSource
  private nonisolated let presets: RadioPresets
  private nonisolated let url = ServerURL()
  nonisolated let hooks: HookRunner
  nonisolated let metrics: MetricsSource?
  private let loader: SettingsLoader
  private let devices: Devices
  private let start: Start
  private let shuffleSeed: UInt64
  private let isFirstStart: Bool
  private var settings: Settings
  private var roots: [RootDevice]
  /// nil until the network was looked at.
  private var isSeen: Bool?
  private var discovery: Discovery?
  /// Where it is served, once it is.
  private(set) var port: Int?

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
    let port = try await listen()
    url.set(port: port)
    self.port = port
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

  /// What was found by an earlier run and still holds.
  private var knownFormats: HostState.Formats? {
    start.host.formats.flatMap { $0.key == start.formatKey ? $0 : nil }
  }

  private func announce(port: Int) throws(ExitCode) {
    if let types = knownFormats?.mimeTypes {
      player.assumeIsolated { try? $0.perform(.setMIMETypes(types)) }
    }
    let discovery = Discovery(
      eventLoop: eventLoop, configuration: settings.discoveryConfiguration,
      devices: roots.map(AdvertisedDevice.init),
      configID: host.assumeIsolated { $0.configID },
      bootID: Int(start.bootID), logger: loggers[.discovery])
    self.discovery = discovery
    let changed: NetworkMonitor.ChangeHandler = { self.networkChanged(to: $0) }
    do {
      try discovery.assumeIsolated { try $0.start(httpPort: port) }
      try monitor.assumeIsolated { try $0.start(changed) }
    } catch {
      logger.error("the network can't be watched: \(error)")
      throw .unavailable
    }
  }

  /// Until the output knows better, the player shows what every installation can play.
  private func findMIMETypes() {
    sound.findMIMETypes { [eventLoop, player, store, logger, key = start.formatKey] types in
      eventLoop.execute {
        player.assumeIsolated { try? $0.perform(.setMIMETypes(types)) }
        store?.changeHost { $0.formats = key.map { HostState.Formats(key: $0, mimeTypes: types) } }
        logger.debug("\(types.count) MIME types can be played")
      }
    }
  }

  private func listen() async throws(ExitCode) -> Int {
    do {
      return try await host.start()
    } catch {
      logger.error(
        "port \(settings.network.port) can't be used: \(error); set [network] port to a free one, or to 0")
      throw .unavailable
    }
  }

  private nonisolated func networkChanged(to interfaces: [NetworkInterface]) {
    assumeIsolated { daemon in
      let served = daemon.settings.interfaceSelection.select(from: interfaces)
      daemon.host.assumeIsolated { $0.setInterfaces(served) }
      daemon.discovery?.assumeIsolated { $0.setInterfaces(served) }
      if daemon.url.set(served) { daemon.host.assumeIsolated { $0.stateChanged() } }
      if !served.isEmpty, daemon.isSeen != true { daemon.presets.assumeIsolated { $0.networkCame() } }
      if served.isEmpty, daemon.isSeen != false {
        daemon.logger.notice("no network to be seen on; waiting for one")
      }
      daemon.isSeen = !served.isEmpty
      daemon.keepBootID()
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

  private func keep() {
    if let id = start.installationID { store?.changeHost { $0.installationID = id } }
    // From now on it is known that ids may have been told.
    if isFirstStart { store?.record(player.assumeIsolated { $0.state.snapshot }) }
    keepBootID()
  }

  /// Discovery raises the number when networks come, and the next start must be above it.
  private func keepBootID() {
    guard let discovery else { return }
    let number = UInt32(clamping: discovery.assumeIsolated { $0.bootID })
    store?.changeHost { $0.bootID = number }
  }

  // MARK: - Reload

  /// Reads the configuration again and applies what can be applied; a file with mistakes changes nothing.
  func reload() {
    notifier?.reloading()
    defer { notifier?.send("READY=1") }
    let loaded: SettingsLoader.Loaded
    do throws(SettingsProblems) {
      loaded = try loader.load()
    } catch {
      for problem in error.list { logger.error("\(problem)") }
      logger.error("the configuration has mistakes; everything stays as it was")
      return
    }
    let reload = SettingsReload(from: settings, to: loaded.settings)
    let old = settings
    settings = reload.settings
    apply(old: old)
    for key in reload.postponed { logger.notice("\(key) has changed; restart needed") }
    let list = reload.applied.isEmpty ? "nothing" : reload.applied.joined(separator: ", ")
    logger.notice("configuration read again; changed: \(list)")
  }

  private func apply(old: Settings) {
    loggers.levels.set(settings.log)
    if settings.network != old.network {
      let (networks, names) = (settings.allowedNetworks, settings.network.hostnames)
      host.assumeIsolated { $0.setAccess(allow: networks, hostnames: names) }
    }
    let configuration = settings.playerConfiguration(shuffleSeed: shuffleSeed)
    if configuration != old.playerConfiguration(shuffleSeed: shuffleSeed) {
      player.assumeIsolated { try? $0.perform(.configure(configuration)) }
    }
    if settings.hooks != old.hooks { hooks.set(settings.hooks) }
    if settings.device != old.device || settings.openHomeConfiguration != old.openHomeConfiguration {
      present()
    }
    // Also when nothing is new in the configuration, something may be in the lists.
    readPresets()
  }

  private func readPresets() {
    guard settings.openHome.enabled else { return }
    let (radio, player) = (settings.radio, player)
    presets.assumeIsolated { $0.set(radio, for: player) }
  }

  /// Shows the devices anew, as after a rename.
  private func present() {
    let roots = devices.roots(settings)
    self.roots = roots
    status.set(settings, devices: roots)
    let configID = host.assumeIsolated {
      $0.setDevices(roots)
      $0.stateChanged()
      return $0.configID
    }
    discovery?.assumeIsolated { $0.setDevices(roots.map(AdvertisedDevice.init), configID: configID) }
  }

  // MARK: - Stop

  /// Says goodbye to the network.
  func leaveNetwork() async {
    notifier?.stopping()
    await monitor.stop()
    if let discovery { await discovery.shutdown() }
    keepBootID()
    keepPosition()
    await presets.stop()
    await host.shutdown()
  }

  /// Where the track is now is only known now.
  private func keepPosition() {
    guard settings.playback.resume else { return }
    let snapshot = player.assumeIsolated {
      PlayerSnapshot(settings: $0.state.settings(at: $0.now), tracks: $0.state.playlist.tracks)
    }
    store?.record(snapshot)
  }
}
