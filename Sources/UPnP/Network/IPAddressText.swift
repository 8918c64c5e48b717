extension IPAddress: LosslessStringConvertible {
  /// Reads the text of an address; never looks up a name.
  ///
  /// Strict: four decimal numbers without leading zeros for IPv4; for IPv6 the forms of RFC 4291, without
  /// brackets and without a scope (`%eth0`). Everything else is nil.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    let parsed = text.withUTF8 { bytes in
      bytes.count > 45 ? nil : bytes.contains(0x3a) ? Self.parseV6(bytes[...]) : Self.parseV4(bytes[...])
    }
    guard let parsed else { return nil }
    self = parsed
  }

  private static func parseV4(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> IPAddress? {
    var bits: UInt32 = 0
    let parts = text.split(separator: 0x2e, maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    for part in parts {
      guard (1...3).contains(part.count), part.count == 1 || part.first != 0x30 else { return nil }
      var number: UInt32 = 0
      for byte in part {
        guard (0x30...0x39).contains(byte) else { return nil }
        number = number * 10 + UInt32(byte - 0x30)
      }
      guard number <= 255 else { return nil }
      bits = bits << 8 | number
    }
    return .v4(bits)
  }

  private static func parseV6(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> IPAddress? {
    var before: [UInt16] = []
    var after: [UInt16] = []
    var seenGap = false
    var rest = text
    if rest.starts(with: [0x3a]) {
      // A colon in front is right only as the first half of "::".
      guard rest.starts(with: [0x3a, 0x3a]) else { return nil }
      seenGap = true
      rest = rest.dropFirst(2)
    }
    while !rest.isEmpty {
      let part = rest.prefix { $0 != 0x3a }
      let groups: [UInt16]
      if part.contains(0x2e), part.endIndex == rest.endIndex, case .v4(let bits)? = parseV4(part) {
        groups = [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
      } else {
        guard let group = hexadecimalGroup(part) else { return nil }
        groups = [group]
      }
      if seenGap { after += groups } else { before += groups }
      guard before.count + after.count <= 8 else { return nil }
      rest = rest[part.endIndex...]
      guard !rest.isEmpty else { break }
      rest = rest.dropFirst()
      if rest.first == 0x3a {
        guard !seenGap else { return nil }
        seenGap = true
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return nil
      }
    }
    let missing = 8 - before.count - after.count
    guard seenGap ? missing >= 1 : missing == 0 else { return nil }
    return IPAddress(groups: before + Array(repeating: 0, count: missing) + after)
  }

  private static func hexadecimalGroup(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> UInt16? {
    guard (1...4).contains(text.count) else { return nil }
    var group: UInt16 = 0
    for byte in text {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      group = group << 4 | UInt16(digit)
    }
    return group
  }

  /// An IPv6 address of eight 16-bit groups.
  private init(groups: [UInt16]) {
    let halves = groups.reduce(into: (high: UInt64(0), low: UInt64(0))) { sum, group in
      sum.high = sum.high << 16 | sum.low >> 48
      sum.low = sum.low << 16 | UInt64(group)
    }
    self = .v6(halves.high, halves.low)
  }

  /// The canonical text (IPv6: RFC 5952).
  public var description: String {
    switch self {
    case .v4(let bits):
      return "\(bits >> 24).\(bits >> 16 & 0xff).\(bits >> 8 & 0xff).\(bits & 0xff)"
    case .v6(let high, let low):
      if isIPv4Mapped { return "::ffff:\(unmapped)" }
      let groups = [high, low].flatMap { half in
        stride(from: 48, through: 0, by: -16).map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
      }
      let gap = Self.longestZeroRun(in: groups)
      let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":")
      }
      guard gap.count > 1 else { return text(groups[...]) }
      return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }
  }

  /// The address as it stands in the host part of a URL: IPv6 in brackets.
  public var urlHost: String { isIPv6 ? "[\(description)]" : description }

  /// The first of the longest runs of zero groups.
  private static func longestZeroRun(in groups: [UInt16]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<index + 1
      }
    }
    return longest
  }
}
