@testable import vireod

extension FuzzTarget {
  /// A configuration file.
  static let toml = FuzzTarget(
    name: "toml", maximumLength: 8192,
    words: SettingsSchema.sections.map { "[\($0.name)]\n" } + SettingsSchema.keys.map { "\($0.name) = " }
      + tomlWords
  ) { bytes in
    let result: SettingsReader.Result
    do throws(SettingsProblems) {
      result = try SettingsReader.read(bytes, file: "f")
    } catch {
      try promise(!error.list.isEmpty, "refused without a reason")
      for problem in error.list { _ = problem.description }
      return
    }
    // What holds can be written down and read again.
    let loaded = SettingsLoader.Loaded(settings: result.settings, file: "f")
    let text = SettingsText.effective(loaded)
    let again = try? SettingsReader.read(Array(text.utf8), file: "f").settings
    try promise(again == result.settings, "comes back differently: \(text)")
  }

  private static let tomlWords = [
    "\"\"\"", "'''", "\\u0000", "\\U0010FFFF", "[[", "]]", "{", "}", "inf", "nan", "0x", "1e9",
    "1979-05-27T07:32:00Z",
    "a.b.c = ", "9223372036854775807", "\"2s\"", "#",
  ]
}
