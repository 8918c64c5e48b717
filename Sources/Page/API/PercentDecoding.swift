import Text

/// Decodes what browsers and scripts put into the path and the query of an address.
enum PercentDecoding {
  /// Decodes `%41`, and in a query `+` as a space; nil for broken escapes, and for what isn't UTF-8.
  static func text(_ encoded: Substring, isQuery: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = encoded.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where isQuery: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)?.streamSafe
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
