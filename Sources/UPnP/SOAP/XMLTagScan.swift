import Glibc

/// A look at XML before libxml2 reads it: that library compares every attribute of a tag with all others, so a tag of
/// 250 kB keeps it busy for a second, and on a small computer for several.
public enum XMLTagScan {
  /// More attributes in one tag than anybody writes.
  public static let maximumAttributes = 64

  /// True when no tag of `bytes`, in UTF-8, has more than ``maximumAttributes``.
  ///
  /// Never takes a tag for shorter than libxml2 does: a value can't hold `<`, and attributes are followed only for as
  /// long as their quotation marks come in pairs.
  public static func isHarmless(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var index = 0
    while index < bytes.count, let found = memchr(base + index, 0x3c, bytes.count - index) {
      index = base.distance(to: UnsafeRawPointer(found)) + 1
      // Comments, CDATA sections and instructions have no attributes, but may well hold what looks like some.
      if index < bytes.count, bytes[index] == 0x21 || bytes[index] == 0x3f { continue }
      var attributes = 0
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
        default: break
        }
        index += 1
      }
    }
    return true
  }
}
