import HTTP
import NIOCore
import Network
import Player
import UPnP

/// Serves and announces the devices on the available networks.
extension Daemon {
  func listen() async throws(ExitCode) -> HTTPServer.Listening {
    do {
      return try await server.listen()
    } catch {
      logger.error(
        "port \(settings.network.port) can't be used: \(error); set [network] port to a free one, or to 0")
      throw .unavailable
    }
  }

  func announce() throws(ExitCode) {
    if let types = knownFormats?.mimeTypes {
      player.assumeIsolated { try? $0.perform(.setMIMETypes(types)) }
    }
    let changed: @Sendable (NetworkReach) -> Void = { reach in
      self.assumeIsolated { $0.networkChanged(reach) }
    }
    do {
      if let zone {
        server.assumeIsolated { server in
          server.observeListening { change in zone.assumeIsolated { $0.portChanged(change) } }
        }
      }
      try server.assumeIsolated { try $0.announce(onChange: changed) }
    } catch {
      logger.error("the network can't be watched: \(error)")
      throw .unavailable
    }
  }

  private func networkChanged(_ reach: NetworkReach) {
    let isServed = !reach.served.isEmpty
    page.networkChanged(reach, listening)
    rooms?.assumeIsolated { $0.networkChanged(reach.served) }
    zone?.assumeIsolated { $0.networkChanged(reach.announced) }
    let addresses = reach.served.flatMap(\.addresses).map { "\($0.address)" }
    reports?.assumeIsolated { $0.networkChanged(Set(addresses)) }
    if url.set(reach.announced) {
      server.stateChanged()
      tellPage()
    }
    if isServed, isSeen != true { presets.assumeIsolated { $0.networkCame() } }
    tell(leftOut: reach.leftOut)
    if !isServed, isSeen != false { logger.notice("no network to be seen on; waiting for one") }
    isSeen = isServed
    keepBootID()
  }

  /// Logs where the page is, for whoever has just installed the speaker.
  private func tellPage() {
    guard settings.page.enabled, settings.page.access != .off, !url.text.isEmpty else { return }
    logger.notice("the page is at \(url.text)/")
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
    await server.leave()
    keepBootID()
    keepPosition()
    await presets.stop()
    await rooms?.stop()
    await zone?.stop()
    await page.stop()
    await server.stop()
  }
}
