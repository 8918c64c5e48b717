/// Text of strangers, made fit for a terminal.
enum TerminalText {
  /// The longest that people are shown, in characters.
  static let limit = 2000

  /// For people: cleaned, and cut if it is too long.
  static func shown(_ text: String) -> String { clean(text, limit: limit) }

  /// On one line, without control characters and marks that change the direction of what follows.
  static func clean(_ text: String, limit: Int = .max) -> String {
    if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit {
        result.append("…")
        break
      }
      count += 1
      switch scalar.value {
      case 0x09, 0x0a, 0x0d, 0x2028, 0x2029, 0x85: result.append(" ")
      case _ where controls(scalar): result.append("\u{fffd}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// True for what a terminal acts on instead of showing it.
  static func controls(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff,
      0xfff9...0xfffb, 0xe0000...0xe007f:
      true
    default: false
    }
  }

  /// How many columns the text takes on a terminal.
  static func width(_ text: String) -> Int {
    var width = 0
    for scalar in text.unicodeScalars { width += columns(scalar) }
    return width
  }

  /// The text in at most `width` columns, with an ellipsis if it is longer.
  static func fitted(_ text: String, to width: Int) -> String {
    guard width > 0, self.width(text) > width else { return width > 0 ? text : "" }
    var result = String.UnicodeScalarView()
    var used = 0
    for scalar in text.unicodeScalars {
      let columns = columns(scalar)
      guard used + columns <= width - 1 else { break }
      result.append(scalar)
      used += columns
    }
    result.append("…")
    return String(result)
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
