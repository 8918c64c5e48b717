import ControlPoint
import Network

/// Where a renderer is, to choose the address that reaches it from what a server offers.
package struct RendererPlace: Sendable, Hashable {
  /// Of the links by which it is reached.
  private let networks: [IPNetwork]
  private let addresses: Set<IPAddress>
  /// Of this machine.
  private let own: Set<IPAddress>

  /// - Parameters:
  ///   - locations: the renderer's.
  ///   - interfaces: this machine's.
  ///   - own: the addresses of this machine.
  package init(_ locations: [DeviceLocation], interfaces: [NetworkInterface], own: Set<IPAddress>) {
    self.init(
      locations.map(\.address.address), links: Set(locations.map(\.interface)), interfaces: interfaces,
      own: own)
  }

  package init(_ addresses: [IPAddress], links: Set<Int>, interfaces: [NetworkInterface], own: Set<IPAddress>)
  {
    self.own = own
    self.addresses = Self.hosts(Set(addresses), own)
    // An address of the loopback is no other host's, and one without its scope is of no use.
    networks = interfaces.filter { links.contains($0.index) && !$0.isLoopback }.flatMap(\.addresses)
      .filter { !$0.address.isIPv6 || !$0.address.isLinkLocal }.map(\.network)
  }

  /// What a renderer there reaches of a source of music.
  ///
  /// - Parameter source: the addresses of the source; none for this machine.
  package func reach(_ formats: SinkFormats, of source: Set<IPAddress> = []) -> RendererReach {
    let hosts = source.isEmpty ? own : Self.hosts(source, own)
    // Without a link to go by, the address at which the server was found is the best one.
    let found = source.map { IPNetwork($0, prefixLength: $0.bitWidth) }
    return RendererReach(
      formats: formats, networks: networks.isEmpty ? found : networks,
      isOnServer: !hosts.isDisjoint(with: addresses))
  }

  /// All addresses of this machine if one of them is among these; else these.
  private static func hosts(_ addresses: Set<IPAddress>, _ own: Set<IPAddress>) -> Set<IPAddress> {
    let addresses = Set(addresses.map(\.unmapped))
    let isHere = addresses.contains { $0.isLoopback || own.contains($0) }
    return isHere ? addresses.union(own) : addresses
  }
}
