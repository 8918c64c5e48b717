import Kept
import Logging
import NIOCore
import Player
import Services
import Text

/// Gives the player its stations: those of the configuration, then those of the configured lists.
///
/// Files are read at once and whenever they change, URLs one by one in the background. When a list can't be read, its
/// last stations are kept.
actor RadioPresets {
  /// The shortest time between two refreshes for control points.
  private static let pause = TimeAmount.seconds(5)

  private let eventLoop: any EventLoop
  private let sound: any SoundSystem
  private let logger: Logger
  private var player: PlayerCore?
  private var settings = Settings.Radio()
  /// The stations that were read last, by path or URL.
  private var lists: [String: [Media]] = [:]
  private var failed: Set<String> = []
  /// URLs that are to be read; the first one is being read.
  private var pending: [String] = []
  private var watcher: FileWatcher?
  /// No refresh for a control point begins before this time.
  private var pauseEnds = NIODeadline.uptimeNanoseconds(0)
  private var isWaiting = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  init(eventLoop: any EventLoop, sound: any SoundSystem, logger: Logger) {
    self.eventLoop = eventLoop
    self.sound = sound
    self.logger = logger
  }

  /// Starts with the given settings, or switches to them.
  func set(_ settings: Settings.Radio, for player: PlayerCore) {
    if self.player == nil || settings.playlists != self.settings.playlists {
      watch(settings.playlists.filter(isFile))
    }
    self.player = player
    self.settings = settings
    lists = lists.filter { settings.playlists.contains($0.key) }
    failed.formIntersection(settings.playlists)
    readAll()
  }

  /// Reads all lists again for a control point: at once, or when the pause after the last refresh ends.
  func refresh() {
    guard !isWaiting else { return }
    let now = NIODeadline.now()
    if now >= pauseEnds {
      pauseEnds = now + Self.pause
      return readAll()
    }
    isWaiting = true
    eventLoop.scheduleTask(deadline: pauseEnds) {
      self.assumeIsolated {
        $0.isWaiting = false
        $0.refresh()
      }
    }
  }

  private func readAll() {
    readFiles()
    fetch(settings.playlists.filter { !isFile($0) })
  }

  /// Stops watching files.
  func stop() {
    watcher?.assumeIsolated { $0.stop() }
    watcher = nil
  }

  /// Retries the URLs that have failed, since a network is available now.
  func networkCame() {
    fetch(settings.playlists.filter { !isFile($0) && failed.contains($0) })
  }

  private func watch(_ files: [String]) {
    stop()
    watcher = FileWatcher(files, eventLoop: eventLoop) { self.assumeIsolated { $0.readFiles() } }
  }

  private nonisolated func isFile(_ place: String) -> Bool { place.hasPrefix("/") }

  private func readFiles() {
    for path in settings.playlists where isFile(path) {
      switch FileBytes.read(path, limit: PlaylistDocument.maximumLength) {
      case .success(let bytes): take(bytes, of: path, base: "file://\(path)")
      case .failure(let failure): lose(path, because: failure.reason)
      }
    }
    publish()
  }

  // MARK: URLs

  /// Queues URLs. At most one request is under way. A URL that waits isn't queued again, but one that is being read is:
  /// the server may have answered before its list changed.
  private func fetch(_ urls: [String]) {
    let isIdle = pending.isEmpty
    for url in urls where !pending.dropFirst(isIdle ? 0 : 1).contains(url) { pending.append(url) }
    if isIdle { fetchNext() }
  }

  private func fetchNext() {
    guard let url = pending.first else { return }
    sound.fetch(url) { [eventLoop] result in
      eventLoop.execute { self.assumeIsolated { $0.fetched(url, result) } }
    }
  }

  private func fetched(_ url: String, _ result: Result<[UInt8], PlaybackFailure>) {
    pending.removeFirst()
    if settings.playlists.contains(url) {
      switch result {
      case .success(let bytes): take(bytes, of: url, base: url)
      case .failure(let failure): lose(url, because: failure.message)
      }
      publish()
    }
    fetchNext()
  }

  // MARK: Results

  private func take(_ bytes: [UInt8], of place: String, base: String) {
    let stations = PlaylistDocument.stations(bytes, from: base)
    guard !stations.isEmpty else {
      return lose(place, because: "it holds no stations (nor a list that is known)")
    }
    failed.remove(place)
    lists[place] = stations.prefix(Radio.channelsMax).map(\.station)
    logger.debug("\(redacted(uri: place)) has \(counted(stations.count, "station"))")
  }

  private func lose(_ place: String, because reason: String) {
    guard failed.insert(place).inserted else { return }
    logger.warning(
      "the stations of \(redacted(uri: place)) can't be read: \(reason.withoutPeriod); see [radio] playlists. Vireo tries again at a reload, when a control point asks, or when the network comes back"
    )
  }

  private func publish() {
    let stations = settings.presets.map(Media.init(preset:)) + settings.playlists.flatMap { lists[$0] ?? [] }
    if stations.count > Radio.channelsMax {
      logger.notice("there are \(stations.count) stations; the first \(Radio.channelsMax) are offered")
    }
    player?.assumeIsolated { try? $0.perform(.radio(.setPresets(stations))) }
  }
}

extension Media {
  fileprivate init(preset: Settings.Radio.Preset) {
    self.init(
      station: preset.url, name: preset.name.isEmpty ? nil : preset.name,
      image: preset.image.isEmpty ? nil : preset.image)
  }
}
