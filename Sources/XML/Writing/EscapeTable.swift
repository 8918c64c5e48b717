/// The replacement of each byte, in a form that is copied without a branch.
///
/// Responses and events are full of DIDL-Lite, which consists largely of characters to escape, and long track lists are
/// escaped twice. So it is faster to replace every byte than to search for the next one that needs it.
struct EscapeTable: Sendable {
  /// Each entry holds its bytes, the first in the lowest place, and their number (at most 7) in the highest; 0 for a
  /// byte that needs a look at the next ones.
  let entries: [UInt64]

  static let text = EscapeTable(quotes: false)
  static let attribute = EscapeTable(quotes: true)
  /// The number of bytes stored at once, whatever the entry's length.
  static let stride = MemoryLayout<UInt64>.size
  private static let replacement = entry("\u{FFFD}".utf8)
  private static let efAlone = entry([0xef])

  private init(quotes: Bool) {
    entries = (0...UInt8.max).map { byte in
      switch byte {
      case 0x26: Self.entry("&amp;".utf8)
      case 0x3c: Self.entry("&lt;".utf8)
      case 0x3e: Self.entry("&gt;".utf8)
      // A literal CR would be parsed as LF, and TAB and LF inside an attribute as spaces.
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

  /// Escapes `source` from `index` on, as far as `target` has room, and advances `index`.
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
          // XML doesn't allow the characters U+FFFE and U+FFFF.
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
