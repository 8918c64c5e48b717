/// One key of the configuration, with everything about it in one place.
///
/// Reading, checking, `--check-config`, `Config/vireo.toml` and the table in `Config/README.md` are derived from this.
struct SettingKey: Sendable {
  var section: String
  var name: String
  var kind: Kind
  /// One line for people: what the key does, including its unit.
  var summary: String
  /// Describes the effective value when the key is empty or absent and ``Settings`` can't express it.
  var fallback: String?
  /// True when a reload (SIGHUP) applies the key; false when it needs a restart.
  var isReloadable: Bool

  /// The key's full name: `network.port`.
  var path: String { "\(section).\(name)" }

  typealias Field<Value> = WritableKeyPath<Settings, Value> & Sendable
  /// Returns what is wrong with a string ("must …"), or nil.
  typealias TextCheck = @Sendable (String) -> String?

  /// The most elements in a list of numbers.
  static let mostIntegers = 16
  /// The most names in a table of attributes.
  static let mostAttributes = 16

  /// The key's type, its field in ``Settings``, and the allowed values.
  enum Kind: Sendable {
    case text(Field<String>, check: TextCheck)
    case texts(Field<[String]>, check: TextCheck)
    /// A program's absolute path and its arguments; empty for none.
    case command(Field<[String]>)
    case boolean(Field<Bool>)
    case integer(Field<Int>, ClosedRange<Int>, unit: String)
    /// At most ``mostIntegers`` whole numbers.
    case integers(Field<[Int]>, ClosedRange<Int>, unit: String)
    /// A whole number, or a word that means nil.
    case integerOr(String, Field<Int?>, ClosedRange<Int>)
    case duration(Field<Duration>, ClosedRange<Duration>)
    /// A number of bytes.
    case size(Field<Int>, ClosedRange<Int>)
    case choice(
      [String], get: @Sendable (Settings) -> String, set: @Sendable (inout Settings, String) -> Void)
    /// Stations, each a section `[[radio.preset]]` of its own.
    case presets(Field<[Settings.Radio.Preset]>)
    /// Names and texts of the owner's: a table.
    case attributes(Field<[Settings.Attribute]>)
  }
}

extension SettingKey {
  /// Describes the allowed values: "a whole number from 1 to 255".
  var allowed: String {
    switch kind {
    case .text: "a text"
    case .texts: "a list of texts"
    case .command: "a list: the absolute path of a program, and its arguments"
    case .boolean: "true or false"
    case .integer(_, let range, let unit):
      "a whole number from \(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " (\(unit))")
    case .integers(_, let range, let unit):
      "a list of at most \(Self.mostIntegers) whole numbers from \(range.lowerBound) to \(range.upperBound)"
        + (unit.isEmpty ? "" : " (\(unit))")
    case .integerOr(let word, _, let range):
      "\"\(word)\" or a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .duration(_, let range):
      "a duration from \(DurationText.write(range.lowerBound)) to \(DurationText.write(range.upperBound))"
    case .size(_, let range):
      "a size from \(SizeText.write(range.lowerBound)) to \(SizeText.write(range.upperBound))"
    case .choice(let choices, _, _): "one of " + choices.map { "\"\($0)\"" }.joined(separator: ", ")
    case .presets: PresetKey.allowed
    case .attributes: "a table of at most \(Self.mostAttributes) names and texts, as { room = \"kitchen\" }"
    }
  }

  /// The key's value in `settings` as TOML.
  func toml(in settings: Settings) -> String {
    switch kind {
    case .text(let field, _): TOMLText.quoted(settings[keyPath: field])
    case .texts(let field, _), .command(let field):
      "[" + settings[keyPath: field].map(TOMLText.quoted).joined(separator: ", ") + "]"
    case .boolean(let field): settings[keyPath: field] ? "true" : "false"
    case .integer(let field, _, _): String(settings[keyPath: field])
    case .integers(let field, _, _):
      "[" + settings[keyPath: field].map(String.init).joined(separator: ", ") + "]"
    case .integerOr(let word, let field, _):
      settings[keyPath: field].map(String.init) ?? TOMLText.quoted(word)
    case .duration(let field, _): TOMLText.quoted(DurationText.write(settings[keyPath: field]))
    case .size(let field, _): TOMLText.quoted(SizeText.write(settings[keyPath: field]))
    case .choice(_, let get, _): TOMLText.quoted(get(settings))
    case .presets(let field):
      "[" + settings[keyPath: field].map(PresetKey.toml).joined(separator: ", ") + "]"
    case .attributes(let field): TOMLText.table(settings[keyPath: field].map { ($0.name, $0.value) })
    }
  }

  /// The key's value in `settings` as a number; durations are in seconds. Nil for other types.
  func number(in settings: Settings) -> Double? {
    switch kind {
    case .integer(let field, _, _): return Double(settings[keyPath: field])
    case .size(let field, _): return Double(settings[keyPath: field])
    case .integerOr(_, let field, _): return settings[keyPath: field].map(Double.init)
    case .duration(let field, _):
      let (seconds, attoseconds) = settings[keyPath: field].components
      return Double(seconds) + Double(attoseconds) / 1e18
    default: return nil
    }
  }
}

enum TOMLText {
  /// `text` as a TOML basic string.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Texts as a TOML inline table.
  static func table(_ texts: [(name: String, value: String)]) -> String {
    guard !texts.isEmpty else { return "{}" }
    let pairs = texts.map { name, value in
      let isBare = name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x2d || byte == 0x5f
      }
      return "\(isBare && !name.isEmpty ? name : quoted(name)) = \(quoted(value))"
    }
    return "{ " + pairs.joined(separator: ", ") + " }"
  }
}
