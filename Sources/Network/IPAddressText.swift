import Glibc

extension IPAddress: LosslessStringConvertible {
  /// Parses an address; never looks up a name.
  ///
  /// Strict, like inet_pton(3): four decimal numbers without leading zeros for IPv4; for IPv6 the forms of RFC 4291,
  /// without brackets and without a scope (`%eth0`). Everything else is nil.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    let parsed: IPAddress? = text.withUTF8 { bytes in
      // inet_pton would ignore anything after a NUL.
      guard bytes.count < Int(INET6_ADDRSTRLEN), !bytes.contains(0) else { return nil }
      return bytes.contains(0x3a) ? Self.v6(bytes) : Self.v4(bytes)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  private static func v4(_ text: UnsafeBufferPointer<UInt8>) -> IPAddress? {
    parse(text, AF_INET, as: UInt32(0)).map { .v4(UInt32(bigEndian: $0)) }
  }

  private static func v6(_ text: UnsafeBufferPointer<UInt8>) -> IPAddress? {
    parse(text, AF_INET6, as: (high: UInt64(0), low: UInt64(0)))
      .map { .v6(UInt64(bigEndian: $0.high), UInt64(bigEndian: $0.low)) }
  }

  /// Returns the address's bytes in network order, in a value of the type of `blank`.
  private static func parse<Bytes: BitwiseCopyable>(
    _ text: UnsafeBufferPointer<UInt8>, _ family: Int32, as blank: Bytes
  ) -> Bytes? {
    var bytes = blank
    let isAddress = withUnsafeTemporaryAllocation(of: CChar.self, capacity: text.count + 1) { terminated in
      // Truncating, since CChar is signed only on some processors.
      for (index, byte) in text.enumerated() { terminated[index] = CChar(truncatingIfNeeded: byte) }
      terminated[text.count] = 0
      guard let start = terminated.baseAddress else { return false }
      return inet_pton(family, start, &bytes) == 1
    }
    return isAddress ? bytes : nil
  }

  /// The canonical string (IPv6: RFC 5952).
  public var description: String {
    switch self {
    case .v4(let bits): Self.text(AF_INET, of: bits.bigEndian)
    case .v6(let high, let low): Self.text(AF_INET6, of: (high.bigEndian, low.bigEndian))
    }
  }

  private static func text(_ family: Int32, of bytes: some BitwiseCopyable) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      let written = withUnsafePointer(to: bytes) {
        inet_ntop(family, $0, text.baseAddress, socklen_t(text.count))
      }
      // Can't fail: the family is valid and the buffer large enough.
      return written.map { String(cString: $0) } ?? ""
    }
  }

  /// The address as written in the host part of a URL: IPv6 in brackets.
  public var urlHost: String { isIPv6 ? "[\(description)]" : description }
}
