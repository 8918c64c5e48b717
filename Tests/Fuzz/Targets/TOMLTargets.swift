@testable import PlayerStore
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

  /// The file that the first versions kept their state in, after whatever has happened to the disk.
  static let state = FuzzTarget(
    name: "state", maximumLength: 4096,
    words: [
      "version = 1\n", "boot-id = ", "installation-id = \"", "master = { level = -256, muted = false }\n",
      "left = ", "right = ", "formats-of = \"a\"\n", "formats = [", "\"audio/flac\"", "# end\n", "4294967295",
      "-65536",
    ] + tomlWords
  ) { bytes in
    guard let contents = LegacyStateFile.parse(String(decoding: bytes, as: UTF8.self)) else { return }
    try promise(
      LegacyStateFile.parse(String(decoding: bytes, as: UTF8.self)) == contents, "not the same twice")
    try promise((contents.settings?.master.decibels ?? 0) <= 0, "louder than full")
  }

  private static let tomlWords = [
    "\"\"\"", "'''", "\\u0000", "\\U0010FFFF", "[[", "]]", "{", "}", "inf", "nan", "0x", "1e9",
    "1979-05-27T07:32:00Z",
    "a.b.c = ", "9223372036854775807", "\"2s\"", "#",
  ]
}
