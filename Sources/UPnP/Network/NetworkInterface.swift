/// An address of an interface with the length of its network prefix.
public struct InterfaceAddress: Sendable, Hashable {
  public var address: IPAddress
  public var prefixLength: Int

  public init(address: IPAddress, prefixLength: Int) {
    self.address = address
    self.prefixLength = prefixLength
  }

  /// The network that is on the link.
  public var network: IPNetwork { IPNetwork(address, prefixLength: prefixLength) }

  /// True when `other` is an address of the same network: reachable without a router.
  public func contains(_ other: IPAddress) -> Bool { network.contains(other) }

  /// True when `other` means everybody on this network: 255.255.255.255, or all host bits one.
  public func isBroadcast(_ other: IPAddress) -> Bool {
    guard case .v4(let own) = address, case .v4(let bits) = other.unmapped else { return false }
    if bits == .max { return true }
    // Networks of one or two addresses have no broadcast address (RFC 3021).
    guard (0...30).contains(prefixLength) else { return false }
    return bits == own | UInt32.max >> UInt32(prefixLength)
  }
}

/// One network interface as the kernel shows it at one moment.
public struct NetworkInterface: Sendable, Hashable {
  /// The kernel's interface index.
  public var index: Int
  /// `eth0`
  public var name: String
  public var addresses: [InterfaceAddress]
  /// Administratively up and with a carrier.
  public var isRunning: Bool
  public var isLoopback: Bool
  /// False for most tunnels and point-to-point links.
  public var canMulticast: Bool

  public init(
    index: Int, name: String, addresses: [InterfaceAddress], isRunning: Bool, isLoopback: Bool,
    canMulticast: Bool = true
  ) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.isRunning = isRunning
    self.isLoopback = isLoopback
    self.canMulticast = canMulticast
  }

  /// The address of this interface through which `peer` is reached without a router; nil when it is on none of
  /// the interface's networks, or stands for more than one host.
  public func address(reaching peer: IPAddress) -> IPAddress? {
    let on = addresses.filter { $0.contains(peer) && !$0.isBroadcast(peer) }
    guard !peer.isMulticast, !peer.isUnspecified else { return nil }
    return on.max { $0.prefixLength < $1.prefixLength }?.address
  }
}
