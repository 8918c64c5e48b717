/// Turns addresses as control points and servers write them into valid HTTP addresses.
public enum AddressEscaping {
  /// Escapes what is invalid in an address and has only one possible meaning.
  ///
  /// Escaped are spaces, quotes, brackets other than those of IPv6, non-ASCII characters, and a `%` that
  /// begins no escape. Existing escapes stay. Returns nil for what can't be repaired: control characters, or
  /// a space in the host name.
  ///
  /// - Parameters:
  ///   - address: absolute or relative.
  ///   - brackets: whether to escape square brackets too. HTTP servers accept them, although no standard
  ///     allows them.
  public static func escaped(_ address: String, brackets: Bool = false) -> String? {
    let bytes = Array(address.utf8)
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    let path = pathStart(bytes)
    guard !bytes[..<path].contains(0x20) else { return nil }
    // Host names in other scripts are left to the resolver.
    var result = Array(bytes[..<path])
    for index in bytes.indices[path...] {
      let byte = bytes[index]
      if mustBeEscaped(byte, brackets) || byte == UInt8(ascii: "%") && !isEscape(bytes[index...]) {
        result.append(UInt8(ascii: "%"))
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The bytes that `text` encodes; nil for an invalid escape.
  public static func unescaped(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// The index after scheme and host; 0 when there are none.
  private static func pathStart(_ bytes: [UInt8]) -> Int {
    let marks = Array("/?#".utf8)
    guard let colon = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || marks.contains($0) }),
      bytes[colon...].starts(with: "://".utf8)
    else { return 0 }
    return bytes[(colon + 3)...].firstIndex { marks.contains($0) } ?? bytes.count
  }

  private static func mustBeEscaped(_ byte: UInt8, _ brackets: Bool) -> Bool {
    byte >= 0x80 || " \"<>\\^`{|}".utf8.contains(byte) || (brackets && "[]".utf8.contains(byte))
  }

  private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= 3
      && bytes.dropFirst().prefix(2).allSatisfy { Character(UnicodeScalar($0)).hexDigitValue != nil }
  }
}
