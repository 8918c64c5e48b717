/// What a command has to say, in all the ways in which it can be said.
struct Report: Sendable, Hashable {
  enum Body: Sendable, Hashable {
    case table(Table)
    /// Names and values, one a line.
    case fields([Field])
    /// For a terminal, and for other programs.
    case lines([String], plain: [String])
  }

  struct Field: Sendable, Hashable {
    var name: String
    var value: String
  }

  var json: JSON
  var body: Body
  /// Said on stderr on a terminal, when there is nothing in the body.
  var whenEmpty: String?

  static func lines(_ lines: [String], json: JSON) -> Report {
    Report(json: json, body: .lines(lines, plain: lines))
  }

  static func fields(_ fields: KeyValuePairs<String, String?>, json: JSON) -> Report {
    Report(
      json: json,
      body: .fields(fields.compactMap { name, value in value.map { Field(name: name, value: $0) } }))
  }

  /// As it is printed, without the last line end.
  func lines(_ style: OutputStyle) -> [String] {
    switch (style, body) {
    case (.json, _): [json.text]
    case (.terminal(let width, let isStyled), .table(let table)):
      table.lines(width: width, isStyled: isStyled)
    case (.plain, .table(let table)): table.plain
    case (.terminal, .fields(let fields)):
      fields.map { TerminalText.shown("\($0.name): \($0.value)") }
    case (.plain, .fields(let fields)):
      fields.map { "\(TerminalText.clean($0.name)): \(TerminalText.clean($0.value))" }
    case (.terminal, .lines(let lines, _)): lines.map { TerminalText.shown($0) }
    case (.plain, .lines(_, let plain)): plain.map { TerminalText.clean($0) }
    }
  }
}

/// Whom the output is for.
enum OutputStyle: Sendable, Hashable {
  case terminal(width: Int, isStyled: Bool)
  case plain
  case json
}
