import Logging
import Player
import UPnP

/// Reloads the configuration while the daemon runs.
extension Daemon {
  /// The most mistakes that are logged at a reload.
  private static let mistakesTold = 15

  /// Reads the configuration again and applies what doesn't need a restart. A file with mistakes changes nothing.
  func reload() {
    notifier?.reloading()
    defer { notifier?.send("READY=1") }
    let loaded: SettingsLoader.Loaded
    do throws(SettingsProblems) {
      loaded = try loader.load()
    } catch {
      for (place, problem) in error.list.prefix(Self.mistakesTold).enumerated() {
        logger.error("\(problem)", metadata: Self.subject(place))
      }
      logger.error(
        "the configuration has mistakes; everything stays as it was. vireod --check-config shows all \(error.list.count)"
      )
      return
    }
    let reload = SettingsReload(from: settings, to: loaded.settings)
    let old = settings
    settings = reload.settings
    zone?.home.setRoom(settings.openHomeConfiguration.room)
    apply(old: old)
    reports?.assumeIsolated { $0.tryAgain() }
    self.loaded = loaded
    page.set(loaded, namedSettings, devices: roots)
    if settings.network != old.network || settings.page != old.page { page.endStreams() }
    for (place, problem) in HostChecks.problems(loaded).enumerated() {
      logger.warning("\(problem)", metadata: Self.subject(place))
    }
    for (place, key) in reload.postponed.enumerated() {
      logger.notice("\(key) has changed; restart needed", metadata: Self.subject(place))
    }
    let list = reload.applied.isEmpty ? "nothing" : reload.applied.joined(separator: ", ")
    logger.notice("configuration read again; changed: \(list)")
  }

  /// Makes the log's flood protection count each line of a list separately, so that all lines are logged even at the
  /// second reload within a minute.
  private static func subject(_ place: Int) -> Logger.Metadata {
    [VireoLogHandler.subjectKey: "\(place)"]
  }

  private func apply(old: Settings) {
    loggers.levels.set(settings.log)
    if settings.network != old.network {
      let (networks, names) = (settings.allowedNetworks, settings.network.hostnames)
      server.assumeIsolated { $0.setAccess(allow: networks, hostnames: names) }
    }
    let configuration = settings.playerConfiguration(shuffleSeed: shuffleSeed)
    if configuration != old.playerConfiguration(shuffleSeed: shuffleSeed) {
      player.assumeIsolated { try? $0.perform(.configure(configuration)) }
    }
    if settings.hooks != old.hooks { hooks.set(settings.hooks) }
    if settings.uploads != old.uploads {
      let limit = settings.uploads.limit
      page.uploads?.assumeIsolated { $0.setLimit(limit) }
    }
    if settings.device != old.device || settings.openHomeConfiguration != old.openHomeConfiguration {
      present()
    }
    // Always read the station lists, since they may have changed even when the configuration hasn't.
    readPresets()
  }

  func readPresets() {
    guard settings.openHome.enabled else { return }
    let (radio, player) = (settings.radio, player)
    presets.assumeIsolated { $0.set(radio, for: player) }
  }

  /// Announces the devices again, for instance after a rename.
  func present() {
    let (settings, roots) = (namedSettings, devices.roots(namedSettings, showsZone: showsZone))
    self.roots = roots
    status.set(settings, devices: roots)
    server.assumeIsolated { $0.setDevices(roots) }
  }
}
