/// One problem in a configuration.
struct SettingsProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of the file; the option's name, such as `--name`, for options.
  var file: String
  var position: TextPosition?
  /// The key, such as `network.port`; empty when the problem doesn't concern a single key.
  var key: String = ""
  /// What is wrong, what is allowed, and possibly what was meant.
  var message: String

  /// The problem as one line: `/etc/vireo/vireo.toml:3: network.port: is a text; allowed is a whole number from 0 to
  /// 65535`.
  var description: String {
    var place = file
    if let line = position?.line, line > 0 { place += ":\(line)" }
    return place + ": " + (key.isEmpty ? "" : key + ": ") + message
  }
}

/// All problems of a configuration, in the order of the file.
struct SettingsProblems: Error, Sendable, Equatable {
  var list: [SettingsProblem]
}
