import Network

/// The multicast groups of discovery (UPnP Device Architecture, "Addressing", "IP version 6").
package enum SSDPGroup: Sendable, Hashable, CaseIterable {
  case ipv4, ipv6LinkLocal, ipv6SiteLocal

  package static let port = 1900
  /// The port range for unicast searches (UPnP Device Architecture, "SEARCHPORT.UPNP.ORG").
  package static let searchPorts = 49152...65535
  /// How searches begin, and announcements don't.
  static let searchPrefix = "M-SE"

  package var address: IPAddress {
    switch self {
    case .ipv4: .v4(0xefff_fffa)
    case .ipv6LinkLocal: .v6(0xff02_0000_0000_0000, 0xc)
    case .ipv6SiteLocal: .v6(0xff05_0000_0000_0000, 0xc)
    }
  }

  /// The value of the HOST header.
  package var host: String {
    switch self {
    case .ipv4: "239.255.255.250:1900"
    case .ipv6LinkLocal: "[FF02::C]:1900"
    case .ipv6SiteLocal: "[FF05::C]:1900"
    }
  }
}

/// A place to send announcements: one group on one interface, from one own address.
package struct SSDPEndpoint: Sendable, Hashable {
  package var interfaceIndex: Int
  /// Source address of the datagrams, and the host in LOCATION.
  package var address: IPAddress
  package var group: SSDPGroup

  /// Returns the endpoints of `interfaces`.
  ///
  /// They are each IPv4 address; for IPv6, the link-local group with a link-local address, and the site-local group
  /// with an address that is valid there.
  package static func endpoints(of interfaces: [NetworkInterface]) -> [SSDPEndpoint] {
    interfaces.flatMap { interface in
      let addresses = interface.addresses.map(\.address)
      // The loopback interface has no route for IPv6 multicast.
      let ipv6 = interface.isLoopback ? [] : addresses.filter(\.isIPv6)
      let wide = ipv6.first { !$0.isLinkLocal }
      let endpoint = { SSDPEndpoint(interfaceIndex: interface.index, address: $0, group: $1) }
      return addresses.filter { !$0.isIPv6 }.map { endpoint($0, .ipv4) }
        + [(ipv6.first(where: \.isLinkLocal) ?? ipv6.first).map { endpoint($0, .ipv6LinkLocal) }].compactMap(
          \.self)
        + [wide.map { endpoint($0, .ipv6SiteLocal) }].compactMap(\.self)
    }
  }
}
