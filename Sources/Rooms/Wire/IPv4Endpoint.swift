/// An IPv4 address and a port. Songcast knows no IPv6.
public struct IPv4Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// The address as a number, the first byte highest.
  public var address: UInt32
  public var port: UInt16

  public init(address: UInt32, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Reads `192.0.2.7:51970`; nil if it is anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = Self.number(parts[1], most: 65535) else { return nil }
    let bytes = parts[0].split(separator: ".", omittingEmptySubsequences: false)
      .compactMap { Self.number($0, most: 255) }
    guard bytes.count == 4, parts[0].utf8.lazy.filter({ $0 == UInt8(ascii: ".") }).count == 3 else {
      return nil
    }
    self.init(address: bytes.reduce(0) { $0 << 8 | UInt32($1) }, port: UInt16(port))
  }

  private static func number(_ text: some StringProtocol, most: Int) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(text), value <= most
    else { return nil }
    return value
  }

  public var isMulticast: Bool { address >> 28 == 0xe }
  public var isUnspecified: Bool { address == 0 }

  public var description: String {
    [24, 16, 8, 0].map { String(address >> $0 & 0xff) }.joined(separator: ".") + ":\(port)"
  }
}

/// An address of this host and the network that is reached through it without a router.
public struct IPv4Link: Hashable, Sendable {
  /// This host's address.
  public var address: UInt32
  /// Length of the network's prefix, 0...32.
  public var prefix: Int

  public init(address: UInt32, prefix: Int) {
    self.address = address
    self.prefix = min(max(prefix, 0), 32)
  }

  /// Whether `other` is a host of this network, which may be this one. The network's own address and its broadcast address
  /// are none.
  public func contains(_ other: UInt32) -> Bool {
    let mask: UInt32 = prefix == 0 ? 0 : ~UInt32(0) << UInt32(32 - prefix)
    guard other & mask == address & mask, other >> 28 != 0xe, other != .max, other != 0 else { return false }
    return prefix >= 31 || (other & ~mask != 0 && other & ~mask != ~mask)
  }
}
