/// A value of JSON (RFC 8259); the members of an object keep their order.
enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(Int)
  /// With as many digits as it needs.
  case decimal(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  struct Member: Sendable, Hashable {
    var name: String
    var value: JSON
  }

  /// An object without the members that are nil.
  static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// On one line, as ASCII and whatever is no control character.
  var text: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .bool(let value): result += value ? "true" : "false"
    case .number(let value): result += String(value)
    case .decimal(let value): result += value.isFinite ? "\(value)" : "null"
    case .string(let text): Self.write(text, to: &result)
    case .array(let values):
      result += "["
      for (index, value) in values.enumerated() {
        if index > 0 { result += ", " }
        value.write(to: &result)
      }
      result += "]"
    case .object(let members):
      result += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { result += ", " }
        Self.write(member.name, to: &result)
        result += ": "
        member.value.write(to: &result)
      }
      result += "}"
    }
  }

  private static func write(_ text: String, to result: inout String) {
    result += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        guard TerminalText.controls(scalar) else {
          result.unicodeScalars.append(scalar)
          continue
        }
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    result += "\""
  }
}

extension JSON {
  static func string(_ text: String?) -> JSON? { text.map { .string($0) } }
  static func number(_ value: Int?) -> JSON? { value.map { .number($0) } }
  static func bool(_ value: Bool?) -> JSON? { value.map { .bool($0) } }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(value) }
}
