import Player
import UPnP

/// The configuration is read again while everything runs.
extension Daemon {
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

  func readPresets() {
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
}
