/// What the command line asks for.
struct Options: Sendable, Equatable {
  /// What to do; the last one given counts.
  enum Mode: Sendable, Equatable {
    case run, checkConfiguration, listOutputs, printDescription, version, help
  }

  var mode = Mode.run
  var config: String?
  var stateDirectory: String?
  var logLevel: LogLevel?
  var name: String?

  /// A command line that can't be understood.
  struct Problem: Error, Sendable, Equatable {
    var message: String
  }

  /// One option, as the parser and the help text need it.
  struct Definition: Sendable {
    var name: String
    var short: Character?
    /// What the value stands for in the help; nil for an option without one.
    var value: String?
    var summary: String
    var apply: @Sendable (inout Options, String) -> String?
  }

  static let definitions: [Definition] = [
    Definition(
      name: "config", short: "c", value: "FILE", summary: "configuration (\(SettingsLoader.defaultPath))",
      apply: { $0.config = $1; return nil }),
    Definition(
      name: "state-dir", short: "s", value: "DIR", summary: "where volume and the like are kept",
      apply: { $0.stateDirectory = $1; return nil }),
    Definition(
      name: "name", short: "n", value: "NAME", summary: "the name that control points show",
      apply: { $0.name = $1; return nil }),
    Definition(
      name: "log-level", short: "l", value: "LEVEL",
      summary: LogLevel.allCases.map(\.rawValue).joined(separator: ", "), apply: setLogLevel),
    Definition(
      name: "check-config", short: nil, value: nil, summary: "check the configuration, print what holds",
      apply: { options, _ in options.mode = .checkConfiguration; return nil }),
    Definition(
      name: "list-outputs", short: nil, value: nil, summary: "print the sound outputs of this host",
      apply: { options, _ in options.mode = .listOutputs; return nil }),
    Definition(
      name: "print-description", short: nil, value: nil, summary: "print the device descriptions (XML)",
      apply: { options, _ in options.mode = .printDescription; return nil }),
    Definition(
      name: "version", short: "V", value: nil, summary: "print the version",
      apply: { options, _ in options.mode = .version; return nil }),
    Definition(
      name: "help", short: "h", value: nil, summary: "print this",
      apply: { options, _ in options.mode = .help; return nil }),
  ]

  private static func setLogLevel(_ options: inout Options, _ text: String) -> String? {
    let levels = LogLevel.allCases.map(\.rawValue)
    guard let level = LogLevel(rawValue: text) else {
      return "there is no level \"\(text)\"; there are \(levels.joined(separator: ", "))"
        + (Suggestion.nearest(to: text, among: levels).map { "; did you mean \($0)?" } ?? "")
    }
    options.logLevel = level
    return nil
  }

  static var help: String {
    var text = """
      Usage: vireod [OPTION]...
      A UPnP media renderer: cast music to this computer from a phone.


      """
    for definition in definitions {
      let short = definition.short.map { "-\($0), " } ?? "    "
      var left = "  \(short)--\(definition.name)\(definition.value.map { " \($0)" } ?? "")"
      left += String(repeating: " ", count: max(1, 28 - left.count))
      text += left + definition.summary + "\n"
    }
    return text + "\nSee vireod(8) for signals, exit codes and the configuration.\n"
  }
}
