import Text

/// The subset of JSON (RFC 8259) that OpenHome's Transport service needs: writes arrays of strings and reads
/// flat objects.
enum SmallJSON {
  /// A value in a parsed object. Nested objects and arrays occur in no command and are refused.
  enum Value: Sendable, Hashable {
    case text(String)
    case number(Double)
    case boolean(Bool)
    case null

    var text: String? { if case .text(let text) = self { text } else { nil } }
  }

  private static let maximumMembers = 32

  /// An array of strings such as `["a","b"]`.
  static func array(_ texts: [String]) -> String {
    array(of: texts.map(literal))
  }

  /// An array of values that are JSON already.
  static func array(of values: [String]) -> String {
    "[" + values.joined(separator: ",") + "]"
  }

  /// A string.
  static func text(_ text: String) -> String { literal(text) }

  private static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The members of the object in `text`; nil when it isn't a flat object. Of several members with the same
  /// name, the last one is used.
  static func object(_ text: String) -> [String: Value]? {
    var scanner = Scanner(rest: Array(text.utf8)[...])
    return scanner.object()
  }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func object() -> [String: Value]? {
      guard take("{") else { return nil }
      var members: [String: Value] = [:]
      if !take("}") {
        repeat {
          guard members.count < SmallJSON.maximumMembers, take("\""), let name = string(), take(":"),
            let value = value()
          else { return nil }
          members[name] = value
        } while take(",")
        guard take("}") else { return nil }
      }
      skipSpace()
      return rest.isEmpty ? members : nil
    }

    private mutating func value() -> Value? {
      if take("\"") { return string().map(Value.text) }
      let word = rest.prefix { !" \t\r\n,}".utf8.contains($0) }
      rest = rest[word.endIndex...]
      switch String(decoding: word, as: UTF8.self) {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      case "null": return .null
      case let number: return Double(number).flatMap { $0.isFinite ? .number($0) : nil }
      }
    }

    /// Reads a string up to its closing quotation mark; the opening one has been read.
    private mutating func string() -> String? {
      var units: [UInt16] = []
      var bytes: [UInt8] = []
      // Escapes may be halves of a surrogate pair, so they are collected until another character follows.
      func flush() {
        bytes += Array(String(decoding: units, as: UTF16.self).utf8)
        units = []
      }
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""):
          flush()
          return String(decoding: bytes, as: UTF8.self).streamSafe
        case UInt8(ascii: "\\"):
          guard let unit = escape() else { return nil }
          units.append(unit)
        default:
          if !units.isEmpty { flush() }
          bytes.append(byte)
        }
      }
      return nil
    }

    private mutating func escape() -> UInt16? {
      guard let byte = rest.popFirst() else { return nil }
      switch byte {
      case UInt8(ascii: "n"): return 0x0a
      case UInt8(ascii: "t"): return 0x09
      case UInt8(ascii: "r"): return 0x0d
      case UInt8(ascii: "b"): return 0x08
      case UInt8(ascii: "f"): return 0x0c
      case UInt8(ascii: "u"):
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return digits.count == 4 ? UInt16(String(decoding: digits, as: UTF8.self), radix: 16) : nil
      default: return UInt16(byte)
      }
    }

    /// Consumes `byte` if it comes next, after any white space.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
      skipSpace()
      guard rest.first == UInt8(ascii: byte) else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func skipSpace() { rest = rest.drop { " \t\r\n".utf8.contains($0) } }
  }
}
