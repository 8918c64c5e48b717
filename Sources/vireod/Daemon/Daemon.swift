import HTTP
import Logging
import NIOCore
import Network
import Page
import Player
import PlayerStore
import Services
import UPnP

/// The running daemon: creates and connects its parts, starts them so that it is announced as early as possible, and
/// applies a reloaded configuration.
actor Daemon {
  nonisolated let eventLoop: any EventLoop
  nonisolated let store: PlayerStore?
  nonisolated let player: PlayerCore
  nonisolated let sound: any SoundSystem
  nonisolated let server: DeviceServer
  nonisolated let loggers: Loggers
  nonisolated let logger: Logger
  nonisolated let notifier: SystemdNotifier?
  nonisolated let status: StatusSource
  nonisolated let presets: RadioPresets
  nonisolated let url = ServerURL()
  nonisolated let hooks: HookRunner
  nonisolated let metrics: MetricsSource?
  nonisolated let page: PageParts
  /// Nil where rooms are switched off.
  nonisolated let rooms: RoomParts?
  /// Nil where the zone for controllers of the Sonos class is switched off.
  nonisolated let zone: ZoneParts?
  /// Whether that zone is shown; false until it is known that there is no other household.
  var showsZone = true
  /// Nil where nothing is reported.
  nonisolated let reports: Reports?
  let loader: SettingsLoader
  let devices: Devices
  let start: Start
  let shuffleSeed: UInt64
  let isFirstStart: Bool
  var settings: Settings
  /// The configuration as it was last read.
  var loaded: SettingsLoader.Loaded
  var roots: [RootDevice]
  /// Whether any network is served; nil before the first look at the network.
  var isSeen: Bool?
  /// Interfaces that are not served and have been logged.
  var loggedUnservedInterfaces: Set<String> = []
  /// The port and protocols that are served; nil before ``run()``.
  private(set) var listening: HTTPServer.Listening?

  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  /// Creates all parts without starting them.
  ///
  /// - Parameters:
  ///   - start: What is known before the daemon runs.
  ///   - eventLoop: The event loop that all parts share.
  ///   - loggers: The loggers of the parts.
  ///   - notifier: Notifies systemd; nil when systemd isn't used.
  ///   - makeSound: Creates the sound system from a handler for the output's events.
  init(
    _ start: Start, eventLoop: any EventLoop, loggers: Loggers, notifier: SystemdNotifier?,
    makeSound: (@escaping @Sendable (OutputEvent) -> Void) -> any SoundSystem
  ) {
    let settings = start.loaded.settings
    let shuffleSeed = UInt64.random(in: .min ... .max)
    let bound = SetOnce<PlayerCore>()
    let kept = KeptSongs(settings.uploads, logger: loggers[.player])
    let made = makeSound { event in
      // The event loop preserves the order of events.
      eventLoop.execute { bound.value?.assumeIsolated { $0.receive(event) } }
    }
    let sound = OwnSongsSound.make(made, kept)
    presets = RadioPresets(eventLoop: eventLoop, sound: sound, logger: loggers[.player])
    let pins = PinFinder()
    let edge = EffectRunner(
      eventLoop: eventLoop, sound: sound, store: start.store, presets: presets, pins: pins,
      logger: loggers[.player])
    let lateMetrics = SetOnce<MetricsSource>()
    let player = PlayerCore(
      executor: eventLoop.executor, configuration: settings.playerConfiguration(shuffleSeed: shuffleSeed),
      output: sound,
      clock: { PlayerInstant(nanoseconds: Int64(NIODeadline.now().uptimeNanoseconds)) },
      initial: start.player, unsavedID: start.store?.firstUnsavedID ?? 0,
      edge: { effect, player in
        if case .report(let report) = effect { lateMetrics.value?.take(report) }
        edge.perform(effect, for: player)
      })
    bound.bind(player)
    rooms = RoomParts(
      settings, zone: OpenHomeDevice.udn(besides: start.identity.udn), player: player, sound: sound,
      eventLoop: eventLoop, logger: loggers[.player])
    reports = Reports(
      settings, player: player, store: start.store, host: start.host, eventLoop: eventLoop,
      logger: loggers[.reports])
    let lateServer = SetOnce<DeviceServer>()
    let lateDaemon = SetOnce<Daemon>()
    let zone = ZoneParts(
      settings, start, player: player, eventLoop: eventLoop, logger: loggers[.daemon],
      address: { [url] in url.ipv4 },
      present: { shows in lateDaemon.value?.assumeIsolated { $0.presentZone(shows) } },
      changed: { lateServer.value?.stateChanged() },
      reachChanged: { reach in lateDaemon.value?.assumeIsolated { $0.page.set(reach) } })
    devices = Devices(
      identity: start.identity, player: player, settings: settings, loggers: loggers,
      base: { [url] in url.text }, zone: zone?.home, neighbours: zone?.peers)
    let named = settings.named(by: zone)
    roots = devices.roots(named)
    let status = StatusSource(player: player)
    status.set(named, devices: roots)
    page = PageParts(
      player: player, eventLoop: eventLoop, bootID: start.bootID, sound: sound, status: status,
      loggers: loggers, casters: devices.casters, reports: rooms ?? NoRoomReports(), listening: reports,
      keepParty: { [store = start.store] text in store?.changeHost { $0.party = text } },
      store: start.store,
      kept: kept, limit: settings.uploads.limit, base: { [url] in url.text })
    page.set(start.loaded, named, devices: roots)
    pins.places.bind(page.media)
    pins.playlists.bind(page.playlists)
    if zone != nil {
      devices.zonePlaylists.playlists.bind(page.playlists)
      page.playlists.observe { lateServer.value?.stateChanged() }
    }
    var pages: [String: @Sendable () -> HTTPPage] = [Devices.statusPath: { status.page() }]
    let metrics =
      settings.metrics.enabled
      ? MetricsSource(settings, player: player, server: lateServer, sound: sound) : nil
    if let metrics {
      pages[MetricsSource.path] = { metrics.page() }
      lateMetrics.bind(metrics)
    }
    server = DeviceServer(
      eventLoop: eventLoop, configuration: settings.serverConfiguration, devices: roots,
      responders: page.responders + [Pages(pages)],
      portResponders: zone.map { [page] in
        [
          ZoneIdentity.port: [
            ZonePages.pages($0.home), Self.covers(page, eventLoop, lateServer), $0.peers.responder,
          ]
        ]
      } ?? [:],
      bootID: Int(start.bootID),
      loggers: DeviceServerLoggers(
        http: loggers[.http], events: loggers[.events], discovery: loggers[.discovery],
        network: loggers[.network]))
    lateServer.bind(server)
    status.set(server: server)
    page.start(server)
    hooks = HookRunner(
      player: player, eventLoop: eventLoop, logger: loggers[.daemon], isOwed: start.host.owesStop,
      owes: { [store = start.store] isOwed in store?.changeHost { $0.owesStop = isOwed } })
    store = start.store
    self.eventLoop = eventLoop
    self.player = player
    self.sound = sound
    self.loggers = loggers
    self.notifier = notifier
    self.status = status
    // Don't keep a second reference to the saved playlist; only the player needs it from now on.
    var start = start
    isFirstStart = start.player == nil
    start.player = nil
    self.metrics = metrics
    self.zone = zone
    showsZone = zone?.showsAtOnce ?? true
    self.start = start
    self.shuffleSeed = shuffleSeed
    self.settings = settings
    loaded = start.loaded
    loader = start.loader
    logger = loggers[.daemon]
    lateDaemon.bind(self)
  }

  /// Serves and announces the devices. Slow steps come later: the sound device, the scan for decoders, the disk.
  ///
  /// - Throws: ``ExitCode/unavailable`` when the HTTP port can't be used or the network can't be watched.
  func run() async throws(ExitCode) {
    for problem in HostChecks.problems(start.loaded) { logger.warning("\(problem)") }
    begin()
    let listening = try await listen()
    let port = listening.port
    url.set(port: port)
    self.listening = listening
    if !showsZone { present() }
    try announce()
    let name = FriendlyName.make(namedSettings.device, hostName: FriendlyName.hostName)
    notifier?.ready(status: "Serving as \(name) on port \(port)")
    logger.notice("vireod \(Version.text) serves “\(name)”, port \(port)")
    let mixer = (try? MixerChoice(settings.audio.mixer)) ?? .software
    logger.info("the volume is applied \(mixer.description)")
    watchPlayer()
    sound.attach(to: player)
    resumeListening()
    hooks.set(settings.hooks)
    metrics?.begin()
    keep()
    await reports?.begin()
    beginParty()
    readPresets()
    if knownFormats == nil { findMIMETypes() }
  }

  /// A room that listened to another one goes on listening, as after a power cut.
  private func resumeListening() {
    player.assumeIsolated { try? $0.perform(.receiver(.resumeAfterStart)) }
  }

  /// Publishes each change of the player to subscribers, and prepares for playback.
  private func watchPlayer() {
    let (server, sound, page, rooms, zone) = (server, sound, page, rooms, zone)
    _ = player.assumeIsolated { player in
      player.observe { old, new in
        server.stateChanged()
        zone?.assumeIsolated { $0.playerChanged(old, new) }
        page.playerChanged(old, new)
        rooms?.assumeIsolated { $0.playerChanged(old, new) }
        // Load GStreamer when a track is set, since there is time to do so before Play.
        let tracks: [KeyPath<PlayerState, Media?>] = [\.currentTrack, \.av.media]
        if tracks.contains(where: { new[keyPath: $0] != nil && new[keyPath: $0] != old[keyPath: $0] }) {
          sound.begin()
        }
      }
    }
  }
}
