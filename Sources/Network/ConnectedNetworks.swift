import Glibc

/// The networks that this host is connected to, whether they are served or not.
public enum ConnectedNetworks {
  /// Whether no router is needed to reach `address`: it is this host's, or in the network of one of its interfaces.
  public static func contain(_ address: IPAddress) -> Bool {
    let address = address.unmapped
    if address.isLoopback { return true }
    guard !address.isMulticast, !address.isUnspecified, address != .v4(.max) else { return false }
    return networks.contains { $0.contains(address) }
  }

  /// IFF_UP of netdevice(7).
  private static let isUp: UInt32 = 1

  private static var networks: [IPNetwork] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    guard let first else { return [] }
    return sequence(first: first) { $0.pointee.ifa_next }.compactMap { entry in
      let entry = entry.pointee
      guard entry.ifa_flags & isUp != 0, let own = entry.ifa_addr.flatMap({ IPAddress(socketAddress: $0) }),
        let mask = entry.ifa_netmask.flatMap({ IPAddress(socketAddress: $0) }), mask.isIPv6 == own.isIPv6
      else { return nil }
      return IPNetwork(own, prefixLength: mask.oneBits)
    }
  }
}

extension IPAddress {
  /// How many of its bits are one: the prefix length of a network mask.
  fileprivate var oneBits: Int {
    switch self {
    case .v4(let bits): bits.nonzeroBitCount
    case .v6(let high, let low): high.nonzeroBitCount + low.nonzeroBitCount
    }
  }
}
