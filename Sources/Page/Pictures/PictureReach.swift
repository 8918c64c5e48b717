import Network

/// Decides which addresses pictures may be fetched from, after names have been resolved: whoever queues a track names the
/// address, so it may lead to nothing that listens only to this host.
public struct PictureReach: Sendable, Hashable {
  /// The interfaces of this host that are served.
  public var interfaces: [NetworkInterface] = []
  /// The port of our own server.
  public var port: Int?
  /// Allows this host itself; for tests.
  package var allowsLoopback = false

  public init() {}

  func allows(_ address: IPAddress, port: Int) -> Bool {
    let address = address.unmapped
    guard !address.isMulticast, !address.isUnspecified, address != .v4(.max), !address.needsScope else {
      return false
    }
    if address.isLoopback { return allowsLoopback }
    let networks = interfaces.flatMap(\.addresses)
    if address.isLinkLocal, !networks.contains(where: { $0.contains(address) }) { return false }
    return port != self.port || !networks.contains { $0.address == address }
  }
}
