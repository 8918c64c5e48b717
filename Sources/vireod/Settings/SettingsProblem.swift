/// One thing that is wrong with a configuration.
struct SettingsProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// Path of the file; `--name` and the like for options.
  var file: String
  var position: TextPosition?
  /// `network.port`; empty when it isn't about one key.
  var key: String = ""
  /// What is wrong, what is allowed, what was perhaps meant.
  var message: String

  /// `/etc/vireo/vireo.toml:3: network.port: is a text; allowed is a whole number from 0 to 65535`
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
