/// Converts a configuration file to ``Settings`` and finds everything that is wrong with it.
///
/// Pure: depends only on the bytes and ``SettingsSchema``.
struct SettingsReader {
  /// The settings, and the line of every key that the file set.
  struct Result: Sendable, Equatable {
    var settings = Settings()
    /// By ``SettingKey/path``.
    var lines: [String: Int] = [:]
  }

  /// With more problems the file is probably not a configuration.
  private static let maximumProblems = 100

  private let file: String
  private var result = Result()
  private var problems: [SettingsProblem] = []

  /// Reads `bytes`, which came from `file`.
  ///
  /// - Throws: ``SettingsProblems`` with all problems at once.
  static func read(_ bytes: [UInt8], file: String) throws(SettingsProblems) -> Result {
    var reader = SettingsReader(file: file)
    do throws(TOMLError) {
      reader.read(try TOMLDocument.parse(bytes))
    } catch {
      reader.problem(error.position, "", "isn't TOML: \(error.message)")
    }
    guard reader.problems.isEmpty else { throw SettingsProblems(list: reader.problems) }
    return reader.result
  }

  private init(file: String) {
    self.file = file
  }

  private mutating func read(_ entries: [TOMLEntry]) {
    for section in entries {
      guard !hasEnough(at: section.position) else { return }
      guard SettingsSchema.sections.contains(where: { $0.name == section.key }) else {
        unknownSection(section)
        continue
      }
      read(section, as: section.key)
    }
  }

  /// Reads a section, and those below it.
  private mutating func read(_ section: TOMLEntry, as name: String) {
    guard case .table(let keys) = section.node.value else {
      problem(section.position, name, "is \(section.node.value.kindName); write a section [\(name)]")
      return
    }
    for entry in keys {
      guard !hasEnough(at: entry.position) else { return }
      let below = "\(name).\(entry.key)"
      if let key = SettingsSchema.key(section: name, name: entry.key) {
        read(key, entry)
      } else if SettingsSchema.sections.contains(where: { $0.name == below }) {
        read(entry, as: below)
      } else {
        unknownKey(entry, in: name)
      }
    }
  }

  private mutating func hasEnough(at position: TextPosition) -> Bool {
    guard problems.count >= Self.maximumProblems else { return false }
    if problems.count == Self.maximumProblems {
      problem(position, "", "too many mistakes; the rest of the file was not checked")
    }
    return true
  }

  private mutating func unknownSection(_ entry: TOMLEntry) {
    let names = SettingsSchema.sections.map(\.name)
    if case .table = entry.node.value {
      problem(
        entry.node.position, "[\(entry.key)]",
        "no such section; there are \(names.joined(separator: ", "))"
          + didYouMean(Self.section(like: entry.key, among: names)))
    } else {
      let home = SettingsSchema.keys.first { $0.name == entry.key }
      problem(
        entry.position, entry.key,
        "keys stand in sections" + (home.map { "; this one belongs below [\($0.section)]" } ?? ""))
    }
  }

  /// The section that is probably meant; one below another is also known by its last word.
  private static func section(like name: String, among names: [String]) -> String? {
    let last = { (name: String) in name.split(separator: ".").last.map(String.init) ?? name }
    let meant =
      Suggestion.nearest(to: name, among: names)
      ?? Suggestion.nearest(to: last(name), among: names.map(last))
    return names.first { $0 == meant || last($0) == meant }.map { "[\($0)]" }
  }

  private mutating func unknownKey(_ entry: TOMLEntry, in section: String) {
    let below = SettingsSchema.sections.map(\.name).filter { $0.hasPrefix("\(section).") }
    if case .table = entry.node.value, !below.isEmpty {
      return problem(
        entry.node.position, "[\(section).\(entry.key)]",
        "no such section; there are \(below.joined(separator: ", "))"
          + didYouMean(Self.section(like: "\(section).\(entry.key)", among: below)))
    }
    let siblings = SettingsSchema.keys.filter { $0.section == section }.map(\.name)
    var meant = Suggestion.nearest(to: entry.key, among: siblings)
    if meant == nil, let elsewhere = SettingsSchema.keys.first(where: { $0.name == entry.key }) {
      meant = "\(entry.key) in [\(elsewhere.section)]"
    }
    problem(
      entry.position, "\(section).\(entry.key)",
      "no such key; [\(section)] has \(siblings.joined(separator: ", "))" + didYouMean(meant))
  }

  private mutating func read(_ key: SettingKey, _ entry: TOMLEntry) {
    result.lines[key.path] = entry.position.line
    switch (key.kind, entry.node.value) {
    case (.text(let field, let check), .string(let text)):
      if let wrong = check(text) { return problem(entry.node.position, key.path, wrong) }
      result.settings[keyPath: field] = text
    case (.texts(let field, let check), .array(let nodes)):
      result.settings[keyPath: field] = texts(nodes, of: key, check: check)
    case (.command(let field), .array(let nodes)):
      let words = texts(nodes, of: key, check: SettingsChecks.argument)
      if let program = words.first, let wrong = SettingsChecks.program(program) {
        return problem(entry.node.position, key.path, wrong)
      }
      result.settings[keyPath: field] = words
    case (.boolean(let field), .boolean(let value)):
      result.settings[keyPath: field] = value
    case (.integer(let field, let range, _), .integer(let value)):
      guard let number = Int(exactly: value), range.contains(number) else {
        return problem(entry.node.position, key.path, "\(value) is out of range; allowed is \(key.allowed)")
      }
      result.settings[keyPath: field] = number
    case (.integers(let field, let range, _), .array(let nodes)):
      result.settings[keyPath: field] = integers(nodes, of: key, range)
    case (.integerOr(let word, let field, _), .string(let text)) where text == word:
      result.settings[keyPath: field] = nil
    case (.integerOr(_, let field, let range), .integer(let value)):
      guard let number = Int(exactly: value), range.contains(number) else {
        return problem(entry.node.position, key.path, "\(value) is out of range; allowed is \(key.allowed)")
      }
      result.settings[keyPath: field] = number
    case (.presets(let field), .array(let nodes)):
      result.settings[keyPath: field] = presets(nodes, of: key)
    case (.presets, let value):
      problem(
        entry.node.position, key.path,
        "is \(value.kindName); write a section [[\(key.path)]] for each station")
    case (.attributes(let field), .table(let entries)):
      result.settings[keyPath: field] = attributes(entries, of: key)
    case (.duration(let field, let range), let value):
      guard let duration = Self.duration(value) else {
        return problem(
          entry.node.position, key.path,
          "isn't a duration; allowed is \(key.allowed), written like \"2s\", \"500ms\" or as a number of seconds"
        )
      }
      guard range.contains(duration) else {
        return problem(
          entry.node.position, key.path,
          "\(DurationText.write(duration)) is out of range; allowed is \(key.allowed)")
      }
      result.settings[keyPath: field] = duration
    case (.size(let field, let range), let value):
      guard let size = Self.size(value) else {
        return problem(
          entry.node.position, key.path,
          "isn't a size; allowed is \(key.allowed), written like \"500MB\", \"1GB\" or as a number of bytes")
      }
      guard range.contains(size) else {
        return problem(
          entry.node.position, key.path,
          "\(SizeText.write(size)) is out of range; allowed is \(key.allowed)")
      }
      result.settings[keyPath: field] = size
    case (.choice(let choices, let get, let set), .string(let text)):
      // The default is also accepted, even when it is the empty string that means "not set".
      guard choices.contains(text) || text == get(Settings()) else {
        return problem(
          entry.node.position, key.path,
          "\(TOMLText.quoted(text)) isn't known; allowed is \(key.allowed)"
            + didYouMean(Suggestion.nearest(to: text, among: choices).map(TOMLText.quoted)))
      }
      set(&result.settings, text)
    case (_, let value):
      problem(entry.node.position, key.path, "is \(value.kindName); allowed is \(key.allowed)")
    }
  }

  private mutating func texts(
    _ nodes: [TOMLNode], of key: SettingKey, check: SettingKey.TextCheck
  ) -> [String] {
    if nodes.count > 64 {
      problem(nodes[64].position, key.path, "has \(nodes.count) elements; allowed are 64")
    }
    var texts: [String] = []
    for node in nodes.prefix(64) {
      guard case .string(let text) = node.value else {
        problem(node.position, key.path, "holds \(node.value.kindName); allowed is \(key.allowed)")
        continue
      }
      if let wrong = check(text) {
        problem(node.position, key.path, wrong)
      } else {
        texts.append(text)
      }
    }
    return texts
  }

  private mutating func integers(_ nodes: [TOMLNode], of key: SettingKey, _ range: ClosedRange<Int>) -> [Int]
  {
    let most = SettingKey.mostIntegers
    if nodes.count > most {
      problem(nodes[most].position, key.path, "has \(nodes.count) elements; allowed is \(key.allowed)")
    }
    var numbers: [Int] = []
    for node in nodes.prefix(most) {
      guard case .integer(let value) = node.value else {
        problem(node.position, key.path, "holds \(node.value.kindName); allowed is \(key.allowed)")
        continue
      }
      if let number = Int(exactly: value), range.contains(number) {
        numbers.append(number)
      } else {
        problem(node.position, key.path, "\(value) is out of range; allowed is \(key.allowed)")
      }
    }
    return numbers
  }

  private static func duration(_ value: TOMLValue) -> Duration? {
    switch value {
    case .string(let text): DurationText.read(text)
    case .integer(let number): DurationText.seconds(Double(number))
    case .float(let number): DurationText.seconds(number)
    default: nil
    }
  }

  private static func size(_ value: TOMLValue) -> Int? {
    switch value {
    case .string(let text): SizeText.read(text)
    case .integer(let number): Int(exactly: number).flatMap { $0 >= 0 ? $0 : nil }
    default: nil
    }
  }

  mutating func problem(_ position: TextPosition, _ key: String, _ message: String) {
    problems.append(SettingsProblem(file: file, position: position, key: key, message: message))
  }

  func didYouMean(_ word: String?) -> String {
    word.map { "; did you mean \($0)?" } ?? ""
  }
}
