import NIOCore

/// Text into XML, escaped once and always well-formed: characters that XML 1.0 can't hold become U+FFFD.
public enum XMLEscaping {
  /// `text` for element content.
  public static func text(_ text: String) -> String { escape(text, quotes: false) }

  /// `text` for an attribute value in double quotes.
  public static func attribute(_ text: String) -> String { escape(text, quotes: true) }

  private static func escape(_ text: String, quotes: Bool) -> String {
    var buffer = ByteBuffer()
    buffer.writeXML(text, quotes: quotes)
    return String(buffer: buffer)
  }

  /// What stands for `byte`; nil for what stands for itself.
  @inline(__always)
  fileprivate static func replacement(_ byte: UInt8, quotes: Bool) -> StaticString? {
    switch byte {
    case 0x26: "&amp;"
    case 0x3c: "&lt;"
    case 0x3e: "&gt;"
    // A literal CR would be read back as LF, and inside an attribute TAB and LF as spaces.
    case 0x0d: "&#13;"
    case 0x22 where quotes: "&quot;"
    case 0x09 where quotes: "&#9;"
    case 0x0a where quotes: "&#10;"
    case 0x09, 0x0a: nil
    case 0x00..<0x20: "\u{FFFD}"
    default: nil
    }
  }
}

extension ByteBuffer {
  /// Writes `text` as XML content; with `quotes` as an attribute value in double quotes.
  mutating func writeXML(_ text: String, quotes: Bool = false) {
    var text = text
    text.withUTF8 { writeXML(bytes: UnsafeRawBufferPointer($0), quotes: quotes) }
  }

  /// Writes UTF-8 `bytes` as XML content; with `quotes` as an attribute value in double quotes.
  mutating func writeXML(bytes: UnsafeRawBufferPointer, quotes: Bool = false) {
    var written = 0
    var index = 0
    while index < bytes.count {
      var length = 1
      var replacement = XMLEscaping.replacement(bytes[index], quotes: quotes)
      if bytes[index] == 0xef, index + 2 < bytes.count, bytes[index + 1] == 0xbf, bytes[index + 2] >= 0xbe {
        // U+FFFE and U+FFFF are no XML characters.
        length = 3
        replacement = "\u{FFFD}"
      }
      if let replacement {
        writeBytes(UnsafeRawBufferPointer(rebasing: bytes[written..<index]))
        writeStaticString(replacement)
        written = index + length
      }
      index += length
    }
    writeBytes(UnsafeRawBufferPointer(rebasing: bytes[written...]))
  }
}
