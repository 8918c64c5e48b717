/// An address of an interface with the length of its network prefix.
public struct InterfaceAddress: Sendable, Hashable {
  public var address: IPAddress
  /// The number of leading bits that all addresses on the link share.
  public var prefixLength: Int

  public init(address: IPAddress, prefixLength: Int) {
    self.address = address
    self.prefixLength = prefixLength
  }

  /// The network on the link.
  public var network: IPNetwork { IPNetwork(address, prefixLength: prefixLength) }

  /// True when `other` is in the same network, so it is reachable without a router.
  public func contains(_ other: IPAddress) -> Bool { network.contains(other) }

  /// True when `other` is a broadcast address here: 255.255.255.255, or all host bits one.
  public func isBroadcast(_ other: IPAddress) -> Bool {
    guard case .v4(let own) = address, case .v4(let bits) = other.unmapped else { return false }
    if bits == .max { return true }
    // Networks of one or two addresses have no broadcast address (RFC 3021).
    guard (0...30).contains(prefixLength) else { return false }
    return bits == own | UInt32.max >> UInt32(prefixLength)
  }
}

/// A network interface as the kernel reported it at one moment.
public struct NetworkInterface: Sendable, Hashable {
  /// The kernel's interface index.
  public var index: Int
  /// The interface's name, for example `eth0`.
  public var name: String
  public var addresses: [InterfaceAddress]
  /// Administratively up and with a carrier.
  public var isRunning: Bool
  public var isLoopback: Bool
  /// False for most tunnels and point-to-point links.
  public var canMulticast: Bool
  /// True when only containers and virtual machines of this host are behind it.
  public var leadsToGuestsOnly: Bool

  public init(
    index: Int, name: String, addresses: [InterfaceAddress], isRunning: Bool, isLoopback: Bool,
    canMulticast: Bool = true, leadsToGuestsOnly: Bool = false
  ) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.isRunning = isRunning
    self.isLoopback = isLoopback
    self.canMulticast = canMulticast
    self.leadsToGuestsOnly = leadsToGuestsOnly
  }

  /// Returns this interface's address on the network of `peer`; nil when `peer` is on none of the interface's networks,
  /// or isn't the address of a single host.
  public func address(reaching peer: IPAddress) -> IPAddress? {
    let on = addresses.filter { $0.contains(peer) && !$0.isBroadcast(peer) }
    guard !peer.isMulticast, !peer.isUnspecified else { return nil }
    return on.max { $0.prefixLength < $1.prefixLength }?.address
  }
}
