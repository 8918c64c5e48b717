import Glibc

/// Checks XML before libxml2 parses it.
///
/// libxml2 compares every attribute of a tag with all others, so a tag of 250 kB keeps it busy for a second, and for
/// several on a small computer. Attributes without a value, each of which it repairs, take a tenth of that.
enum XMLTagScan {
  /// The limit on attributes in one tag, more than any real document has.
  static let maximumAttributes = 64
  /// The limit on words in one tag, outside quotation marks; there may be spaces around each "=".
  static let maximumWords = 4 * maximumAttributes

  /// True when no tag of the UTF-8 `bytes` has more than ``maximumAttributes`` or ``maximumWords``.
  ///
  /// The scan never ends a tag earlier than libxml2 does: a value can't contain `<`, and a `>` ends the tag only outside
  /// paired quotation marks.
  static func isHarmless(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    if isShort(base, bytes.count) { return true }
    var index = 0
    while index < bytes.count, let found = memchr(base + index, 0x3c, bytes.count - index) {
      index = base.distance(to: UnsafeRawPointer(found)) + 1
      // Comments, CDATA sections and processing instructions have no attributes, but may contain text that looks like
      // some.
      if index < bytes.count, bytes[index] == 0x21 || bytes[index] == 0x3f { continue }
      var (attributes, words) = (0, 0)
      var quote: UInt8 = 0
      scan: while index < bytes.count {
        let byte = bytes[index]
        switch byte {
        case 0x3c: break scan
        case 0x22, 0x27:
          if quote == 0 { quote = byte } else if quote == byte { quote = 0 }
        case 0x3e where quote == 0: break scan
        case 0x3d where quote == 0:
          attributes += 1
          if attributes > maximumAttributes { return false }
        case 0x20, 0x09, 0x0a, 0x0d:
          // The end of a word.
          guard quote == 0, index > 0, bytes[index - 1] > 0x20 else { break }
          words += 1
          if words > maximumWords { return false }
        default: break
        }
        index += 1
      }
    }
    return true
  }

  /// True when the whole text has too few words and equals signs for one tag to have too many, as nearly all requests do.
  private static func isShort(_ base: UnsafeRawPointer, _ count: Int) -> Bool {
    // A word and the space behind it take two bytes.
    guard count <= 2 * maximumWords else { return false }
    var (signs, rest) = (0, base)
    while let found = memchr(rest, 0x3d, base + count - rest) {
      signs += 1
      if signs > maximumAttributes { return false }
      rest = UnsafeRawPointer(found) + 1
    }
    return true
  }
}
