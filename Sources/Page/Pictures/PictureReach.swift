import Network

/// Decides which addresses pictures may be fetched from, after names have been resolved: whoever queues a track names the
/// address, so it may lead to nothing on this host but a media server or renderer.
public struct PictureReach: Sendable, Hashable {
  /// The interfaces of this host that are served.
  public var interfaces: [NetworkInterface] = []
  /// The port of our own server.
  public var port: Int?
  /// The ports of media servers and renderers that were found on this host.
  public var servers: Set<Int> = []

  public init() {}

  func allows(_ address: IPAddress, port: Int) -> Bool {
    let address = address.unmapped
    guard !address.isMulticast, !address.isUnspecified, address != .v4(.max), !address.needsScope else {
      return false
    }
    if isOwn(address) { return port != self.port && servers.contains(port) }
    return !address.isLinkLocal
      || interfaces.contains { $0.addresses.contains { $0.contains(address) } }
  }

  /// True for a place on this host where a media server might be found.
  func mayBeServer(_ address: IPAddress, port: Int) -> Bool {
    port != self.port && !servers.contains(port) && isOwn(address.unmapped)
  }

  private func isOwn(_ address: IPAddress) -> Bool {
    interfaces.contains { $0.addresses.contains { $0.address == address } } || OwnHost.has(address)
  }
}
