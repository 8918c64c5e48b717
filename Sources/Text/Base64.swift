/// Base64 (RFC 4648, section 4).
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes bytes.
  public static func text(_ bytes: [UInt8]) -> String {
    let length = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: length) { text in
      alphabet.withUnsafeBufferPointer { alphabet in
        bytes.withUnsafeBufferPointer { bytes in encode(bytes, into: text, alphabet) }
      }
    }
  }

  private static func encode(
    _ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>,
    _ alphabet: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var (read, written) = (0, 0)
    while read < bytes.count {
      let left = bytes.count - read
      let second = left > 1 ? UInt32(bytes[read + 1]) << 8 : 0
      let third = left > 2 ? UInt32(bytes[read + 2]) : 0
      let group = UInt32(bytes[read]) << 16 | second | third
      text[written] = alphabet[Int(group >> 18)]
      text[written + 1] = alphabet[Int(group >> 12 & 63)]
      text[written + 2] = left > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "=")
      text[written + 3] = left > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "=")
      read += 3
      written += 4
    }
    return written
  }

  /// Decodes text, leniently: white space is ignored, and padding may be missing; nil for anything else.
  public static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var (group, count, hasEnded) = (UInt32(0), 0, false)
    for byte in text.utf8 {
      switch byte {
      case 0x20, 0x09...0x0d: continue
      case UInt8(ascii: "="):
        hasEnded = true
        continue
      default: break
      }
      guard !hasEnded, let value = value(of: byte) else { return nil }
      group = group << 6 | value
      count += 1
      guard count == 4 else { continue }
      bytes += [UInt8(group >> 16), UInt8(group >> 8 & 0xff), UInt8(group & 0xff)]
      (group, count) = (0, 0)
    }
    switch count {
    case 0: break
    case 2: bytes.append(UInt8(group >> 4 & 0xff))
    case 3: bytes += [UInt8(group >> 10 & 0xff), UInt8(group >> 2 & 0xff)]
    default: return nil
    }
    return bytes
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
