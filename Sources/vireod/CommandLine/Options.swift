/// The options of the command line.
struct Options: Sendable, Equatable {
  /// What to do; the last mode given wins.
  enum Mode: Sendable, Equatable {
    case run, checkConfiguration, listOutputs, version, help
    /// The description of one device, or of all devices for nil.
    case printDescription(Devices.Kind?)
  }

  var mode = Mode.run
  var config: String?
  var stateDirectory: String?
  var logLevel: LogLevel?
  var name: String?

  /// An error in the command line.
  struct Problem: Error, Sendable, Equatable {
    var message: String
  }

  /// An option, as the parser and the help text need it.
  struct Definition: Sendable {
    /// What an option changes.
    enum Effect: Sendable {
      case text(WritableKeyPath<Options, String?> & Sendable)
      case logLevel
      case mode(Mode)
      case description
    }

    var name: String
    var short: Character?
    /// The placeholder for the value in the help; nil for an option without a value.
    var value: String?
    /// The value may be missing, and only `--name=VALUE` gives one.
    var isValueOptional: Bool
    var summary: String
    var effect: Effect

    init(
      _ name: String, _ short: Character? = nil, value: String? = nil, isValueOptional: Bool = false,
      _ summary: String, _ effect: Effect
    ) {
      self.name = name
      self.short = short
      self.value = value
      self.isValueOptional = isValueOptional
      self.summary = summary
      self.effect = effect
    }
  }

  static let definitions: [Definition] = [
    Definition(
      "config", "c", value: "FILE", "configuration (\(SettingsLoader.defaultPath))", .text(\.config)),
    Definition(
      "state-dir", "s", value: "DIR", "where playlist, volume and the like are kept", .text(\.stateDirectory)),
    Definition("name", "n", value: "NAME", "the name that control points show", .text(\.name)),
    Definition(
      "log-level", "l", value: "LEVEL", LogLevel.allCases.map(\.rawValue).joined(separator: ", "), .logLevel),
    Definition(
      "check-config", nil, "check the configuration, print the effective settings", .mode(.checkConfiguration)
    ),
    Definition("list-outputs", nil, "print the sound outputs of this host", .mode(.listOutputs)),
    Definition(
      "print-description", nil, value: "DEVICE", isValueOptional: true,
      "print the device descriptions (XML), or one: " + describable, .description),
    Definition("version", "V", "print the version", .mode(.version)),
    Definition("help", "h", "print this", .mode(.help)),
  ]

  private static var describable: String { Devices.Kind.allCases.map(\.rawValue).joined(separator: ", ") }

  /// Applies an option. Returns what is wrong with `value`, or nil.
  mutating func apply(_ definition: Definition, _ value: String) -> String? {
    switch definition.effect {
    case .text(let field): self[keyPath: field] = value
    case .mode(let mode): self.mode = mode
    case .description:
      let kind = Devices.Kind(rawValue: value)
      guard value.isEmpty || kind != nil else {
        return "there is no device \"\(value)\"; there are \(Self.describable)"
      }
      mode = .printDescription(kind)
    case .logLevel:
      let levels = LogLevel.allCases.map(\.rawValue)
      guard let level = LogLevel(rawValue: value) else {
        return "there is no level \"\(value)\"; there are \(levels.joined(separator: ", "))"
          + (Suggestion.nearest(to: value, among: levels).map { "; did you mean \($0)?" } ?? "")
      }
      logLevel = level
    }
    return nil
  }

  static var help: String {
    var text = """
      Usage: vireod [OPTION]...
      A UPnP AV and OpenHome media renderer: cast music to this computer from a phone.


      """
    for definition in definitions {
      let short = definition.short.map { "-\($0), " } ?? "    "
      let value = definition.value.map { definition.isValueOptional ? "[=\($0)]" : " \($0)" } ?? ""
      var left = "  \(short)--\(definition.name)\(value)"
      left += String(repeating: " ", count: max(1, 28 - left.count))
      text += left + definition.summary + "\n"
    }
    return text + "\nSee vireod(8) for signals, exit codes and the configuration.\n"
  }
}
