/// A range of addresses with a common prefix (CIDR).
public struct IPNetwork: Sendable, Hashable, LosslessStringConvertible {
  /// The first address of the range.
  public let base: IPAddress
  /// The prefix length, 0…32 for IPv4 or 0…128 for IPv6.
  public let prefixLength: Int

  /// Makes the network of `prefixLength` bits that contains `address`; an invalid length is clamped.
  public init(_ address: IPAddress, prefixLength: Int) {
    self.prefixLength = min(max(prefixLength, 0), address.bitWidth)
    base = address.masked(toPrefix: self.prefixLength)
  }

  /// Parses `192.168.0.0/16`, `fd00::/8`, or a single address; bits after the prefix are ignored.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self.init(address, prefixLength: address.bitWidth)
      return
    }
    let digits = parts[1].utf8
    guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 1 || digits.first != 0x30,
      let length = Int(parts[1]), length <= address.bitWidth
    else { return nil }
    self.init(address, prefixLength: length)
  }

  /// True when `address` is in this network.
  ///
  /// An IPv4-mapped IPv6 address counts as the IPv4 address inside, unless the network itself is a range of mapped
  /// addresses.
  public func contains(_ address: IPAddress) -> Bool {
    let address = base.isIPv4Mapped ? address : address.unmapped
    return address.isIPv6 == base.isIPv6 && address.masked(toPrefix: prefixLength) == base
  }

  public var description: String { "\(base)/\(prefixLength)" }
}
