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
}

/// What stands for each byte, in a form that is copied without a branch.
///
/// Answers and events are full of DIDL-Lite, which is little but characters to be escaped, and long lists of tracks
/// are escaped twice; looking for the next character to replace would be slower than to replace them all.
private struct EscapeTable: Sendable {
  /// An entry's bytes, first in the lowest place, with their number (at most 7) in the highest; 0 for a byte that
  /// can't be judged alone.
  let entries: [UInt64]

  static let text = EscapeTable(quotes: false)
  static let attribute = EscapeTable(quotes: true)
  /// Bytes that are written at once, whatever they hold.
  static let stride = MemoryLayout<UInt64>.size
  private static let replacement = entry("\u{FFFD}".utf8)
  private static let efAlone = entry([0xef])

  private init(quotes: Bool) {
    entries = (0...UInt8.max).map { byte in
      switch byte {
      case 0x26: Self.entry("&amp;".utf8)
      case 0x3c: Self.entry("&lt;".utf8)
      case 0x3e: Self.entry("&gt;".utf8)
      // A literal CR would be read back as LF, and inside an attribute TAB and LF as spaces.
      case 0x0d: Self.entry("&#13;".utf8)
      case 0x22 where quotes: Self.entry("&quot;".utf8)
      case 0x09 where quotes: Self.entry("&#9;".utf8)
      case 0x0a where quotes: Self.entry("&#10;".utf8)
      case 0x09, 0x0a: Self.entry([byte])
      case 0x00..<0x20: Self.replacement
      case 0xef: 0
      default: Self.entry([byte])
      }
    }
  }

  private static func entry(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } | UInt64(bytes.count) << 56
  }

  /// Escapes what is in `source` from `index` on, as far as `target` has room, and moves `index` behind it.
  ///
  /// - Returns: the number of bytes written.
  func escape(
    _ source: UnsafeRawBufferPointer, from index: inout Int, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    entries.withUnsafeBufferPointer { entries in
      var written = 0
      let limit = target.count - Self.stride
      while index < source.count, written <= limit {
        var entry = entries[Int(source[index])]
        if entry == 0 {
          // U+FFFE and U+FFFF are no XML characters.
          let isNone =
            index + 2 < source.count && source[index + 1] == 0xbf && source[index + 2] >= 0xbe
          entry = isNone ? Self.replacement : Self.efAlone
          if isNone { index += 2 }
        }
        target.storeBytes(of: entry.littleEndian, toByteOffset: written, as: UInt64.self)
        written += Int(entry >> 56)
        index += 1
      }
      return written
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
    let table = quotes ? EscapeTable.attribute : EscapeTable.text
    var index = 0
    while index < bytes.count {
      let room = min(bytes.count - index, 16 * 1024) + 2 * EscapeTable.stride
      writeWithUnsafeMutableBytes(minimumWritableBytes: room) { target in
        table.escape(bytes, from: &index, into: target)
      }
    }
  }
}
