import NIOCore
import Network
import Player
import UPnP

/// Serves and announces the devices on the available networks.
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

  /// The interfaces to use. IPv6 isn't announced unless the server listens on it.
  private var selection: InterfaceSelection {
    var selection = settings.interfaceSelection
    selection.ipv6 = listening?.ipv6 ?? false
    return selection
  }

  /// Follows a change of the network.
  ///
  /// - Parameter interfaces: All interfaces of the host.
  nonisolated func networkChanged(to interfaces: [NetworkInterface]) {
    assumeIsolated { daemon in
      let selection = daemon.selection
      let (served, announced) = (selection.served(of: interfaces), selection.announced(of: interfaces))
      daemon.host.assumeIsolated { $0.setInterfaces(served) }
      daemon.discovery?.assumeIsolated { $0.setInterfaces(announced) }
      if daemon.url.set(announced) { daemon.host.assumeIsolated { $0.stateChanged() } }
      if !served.isEmpty, daemon.isSeen != true { daemon.presets.assumeIsolated { $0.networkCame() } }
      daemon.tell(leftOut: selection.leftOut(of: interfaces))
      if served.isEmpty, daemon.isSeen != false {
        daemon.logger.notice("no network to be seen on; waiting for one")
      }
      daemon.isSeen = !served.isEmpty
      daemon.keepBootID()
    }
  }

  /// Logs each interface that isn't served once, and at most 32 of them: containers and their networks come and go.
  private func tell(leftOut interfaces: [NetworkInterface]) {
    for name in interfaces.map(\.name)
    where loggedUnservedInterfaces.count < 32 && loggedUnservedInterfaces.insert(name).inserted {
      logger.notice(
        "\(name) leads to containers or virtual machines only, so nothing is served there; name it in [network] interfaces if people are behind it"
      )
    }
  }

  /// Sends the ssdp:byebye messages and stops serving.
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
