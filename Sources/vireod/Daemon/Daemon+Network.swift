import NIOCore
import Player
import UPnP

/// Serving, and being found, on the networks that there are.
extension Daemon {
  func listen() async throws(ExitCode) -> DeviceHost.Listening {
    do {
      return try await host.start()
    } catch {
      logger.error(
        "port \(settings.network.port) can't be used: \(error); set [network] port to a free one, or to 0")
      throw .unavailable
    }
  }

  func announce(port: Int) throws(ExitCode) {
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

  /// Nobody is told of IPv6 while nobody listens there.
  private var selection: InterfaceSelection {
    var selection = settings.interfaceSelection
    selection.ipv6 = listening?.ipv6 ?? false
    return selection
  }

  /// - Parameter interfaces: all that the host has.
  nonisolated func networkChanged(to interfaces: [NetworkInterface]) {
    assumeIsolated { daemon in
      let selection = daemon.selection
      let (served, announced) = (selection.served(of: interfaces), selection.announced(of: interfaces))
      daemon.host.assumeIsolated { $0.setInterfaces(served) }
      daemon.discovery?.assumeIsolated { $0.setInterfaces(announced) }
      if daemon.url.set(announced) { daemon.host.assumeIsolated { $0.stateChanged() } }
      if !served.isEmpty, daemon.isSeen != true { daemon.presets.assumeIsolated { $0.networkCame() } }
      if served.isEmpty, daemon.isSeen != false {
        daemon.logger.notice("no network to be seen on; waiting for one")
      }
      daemon.isSeen = !served.isEmpty
      daemon.keepBootID()
    }
  }

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
}
