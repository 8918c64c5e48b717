import NIOCore

/// Text into XML, escaped once and always well-formed: characters that XML 1.0 can't hold become U+FFFD.
public enum XMLEscaping {
  /// `text` for element content.
  public static func text(_ text: String) -> String { escape(text, quotes: false) }

  /// `text` for an attribute value in double quotes.
  public static func attribute(_ text: String) -> String { escape(text, quotes: true) }

  /// Appends `text` as element content to `bytes`; for long documents that are put together in one pass.
  public static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      pieces(of: UnsafeRawBufferPointer(utf8), quotes: false) { bytes.append(contentsOf: $0) }
    }
  }

  private static func escape(_ text: String, quotes: Bool) -> String {
    var buffer = ByteBuffer()
    buffer.writeXML(text, quotes: quotes)
    return String(buffer: buffer)
  }

  /// Calls `body` with the pieces that the escaped form of the UTF-8 `bytes` is made of, in order.
  @inline(__always)
  fileprivate static func pieces(
    of bytes: UnsafeRawBufferPointer, quotes: Bool, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var written = 0
    var index = 0
    while index < bytes.count {
      var length = 1
      var replacement = replacement(bytes[index], quotes: quotes)
      if bytes[index] == 0xef, index + 2 < bytes.count, bytes[index + 1] == 0xbf, bytes[index + 2] >= 0xbe {
        // U+FFFE and U+FFFF are no XML characters.
        length = 3
        replacement = "\u{FFFD}"
      }
      if let replacement {
        if written < index { body(UnsafeRawBufferPointer(rebasing: bytes[written..<index])) }
        replacement.withUTF8Buffer { body(UnsafeRawBufferPointer($0)) }
        written = index + length
      }
      index += length
    }
    if written < bytes.count { body(UnsafeRawBufferPointer(rebasing: bytes[written...])) }
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
    XMLEscaping.pieces(of: bytes, quotes: quotes) { writeBytes($0) }
  }
}
