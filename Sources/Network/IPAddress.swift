/// An IPv4 or IPv6 address, without port and scope.
public enum IPAddress: Sendable, Hashable {
  /// The address as a number: 127.0.0.1 is `0x7f00_0001`.
  case v4(UInt32)
  /// The upper and the lower 64 bits.
  case v6(UInt64, UInt64)
}

extension IPAddress {
  public var isIPv6: Bool {
    if case .v6 = self { true } else { false }
  }

  /// The number of bits: 32 or 128.
  public var bitWidth: Int { isIPv6 ? 128 : 32 }

  /// True for `::ffff:a.b.c.d`, the form in which a dual-stack socket reports IPv4 peers.
  public var isIPv4Mapped: Bool {
    if case .v6(0, let low) = self { low >> 32 == 0xffff } else { false }
  }

  /// The IPv4 address inside an IPv4-mapped one; any other address unchanged.
  public var unmapped: IPAddress {
    guard isIPv4Mapped, case .v6(_, let low) = self else { return self }
    return .v4(UInt32(truncatingIfNeeded: low))
  }

  /// True for 127.0.0.0/8 and ::1.
  public var isLoopback: Bool {
    switch unmapped {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let high, let low): high == 0 && low == 1
    }
  }

  /// True for 0.0.0.0 and ::.
  public var isUnspecified: Bool {
    switch unmapped {
    case .v4(let bits): bits == 0
    case .v6(let high, let low): high == 0 && low == 0
    }
  }

  /// True for 224.0.0.0/4 and ff00::/8.
  public var isMulticast: Bool {
    switch unmapped {
    case .v4(let bits): bits >> 28 == 0xe
    case .v6(let high, _): high >> 56 == 0xff
    }
  }

  /// True for 169.254.0.0/16 and fe80::/10.
  public var isLinkLocal: Bool {
    switch unmapped {
    case .v4(let bits): bits >> 16 == 0xa9fe
    case .v6(let high, _): high >> 54 == 0xfe80 >> 6
    }
  }

  /// True for fe80::/10: each link may have another host with that address, so it is meaningless without its scope.
  public var needsScope: Bool { isIPv6 && !isIPv4Mapped && isLinkLocal }

  /// Returns the address with all but its first `length` bits zero; a length outside 0…``bitWidth`` is clamped.
  public func masked(toPrefix length: Int) -> IPAddress {
    switch self {
    case .v4(let bits): .v4(bits & Self.mask(length))
    case .v6(let high, let low): .v6(high & Self.mask(length), low & Self.mask(length - 64))
    }
  }

  /// Returns a mask with `length` one bits at the top; none for a negative length.
  private static func mask<Bits: FixedWidthInteger & UnsignedInteger>(_ length: Int) -> Bits {
    length <= 0 ? 0 : length >= Bits.bitWidth ? .max : .max << (Bits.bitWidth - length)
  }
}
