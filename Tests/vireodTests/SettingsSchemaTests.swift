import Testing

@testable import vireod

@Suite struct SettingsSchemaTests {
  @Test func pathsAreUniqueAndSectionsKnown() {
    let paths = SettingsSchema.keys.map(\.path)
    #expect(Set(paths).count == paths.count)
    let sections = SettingsSchema.sections.map(\.name)
    #expect(SettingsSchema.keys.allSatisfy { sections.contains($0.section) })
    #expect(sections.allSatisfy { name in SettingsSchema.keys.contains { $0.section == name } })
  }

  /// Every key's default is one that the reader takes, and reads back as itself.
  @Test(arguments: SettingsSchema.keys.map(\.path))
  func aDefaultIsAllowed(path: String) throws {
    let key = try #require(SettingsSchema.keys.first { $0.path == path })
    let value = key.toml(in: Settings())
    if case .choice = key.kind, value == "\"\"" { return }
    let text = "[\(key.section)]\n\(key.name) = \(value)\n"
    #expect(try SettingsReader.read(Array(text.utf8), file: "v").settings == Settings())
  }

  /// Every key reaches a field of its own: setting it changes the settings, and only that key's value.
  @Test func everyKeyIsAFieldOfItsOwn() throws {
    for key in SettingsSchema.keys {
      let value: String
      switch key.kind {
      case .text:
        value =
          [
            "icon": "\"/a.png\"", "directory": "\"/srv\"", "output": "\"null\"", "mixer": "\"none\"",
            "url": "\"https://a/b\"",
            "household": "\"Sonos_abcdefghijklmnopqrstuvwxyz\"",
          ][key.name] ?? "\"abc\""
      case .texts:
        value =
          [
            "allow": "[\"192.0.2.0/24\"]", "directories": "[\"/srv\"]", "playlists": "[\"/srv/a.m3u\"]",
            "frame-ancestors": "[\"http://a\"]", "sources": "[\"radio\"]",
          ][key.name]
          ?? "[\"abc\"]"
      case .command: value = "[\"/bin/true\", \"a b\"]"
      case .boolean(let field): value = Settings()[keyPath: field] ? "false" : "true"
      case .integer(let field, let range, _):
        value = String(Settings()[keyPath: field] == range.lowerBound ? range.upperBound : range.lowerBound)
      case .integers(_, let range, _): value = "[\(range.lowerBound), \(range.upperBound)]"
      case .integerOr(_, _, let range): value = String(range.upperBound)
      case .presets: value = "[{ name = \"abc\", url = \"http://192.0.2.1/\", image = \"https://a/b.png\" }]"
      case .attributes: value = "{ a-1 = \"b\", \"c d\" = \"\" }"
      case .duration(let field, let range):
        value = TOMLText.quoted(
          DurationText.write(
            Settings()[keyPath: field] == range.lowerBound ? range.upperBound : range.lowerBound))
      case .size(_, let range): value = TOMLText.quoted(SizeText.write(range.lowerBound))
      case .choice(let choices, let get, _):
        value = TOMLText.quoted(try #require(choices.first { $0 != get(Settings()) }))
      }
      let text = "[\(key.section)]\n\(key.name) = \(value)\n"
      let settings = try SettingsReader.read(Array(text.utf8), file: "v").settings
      let changed = SettingsSchema.keys.filter { $0.toml(in: settings) != $0.toml(in: Settings()) }.map(
        \.path)
      #expect(changed == [key.path])
      #expect(key.toml(in: settings) == value)
    }
  }

  @Test func theInstalledFileIsTheTable() throws {
    try expectFile("Config/vireo.toml", contains: SettingsText.template())
  }

  @Test func theInstalledFileIsValidWithEveryKeyUncommented() throws {
    #expect(try SettingsReader.read(Array(SettingsText.template().utf8), file: "v").settings == Settings())
    let uncommented = SettingsText.template().split(separator: "\n").map { line in
      let isKey =
        line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasSuffix("= \"\"") && !line.hasPrefix("#[[")
      return String(isKey ? line.dropFirst() : line)
    }.joined(separator: "\n")
    #expect(try SettingsReader.read(Array(uncommented.utf8), file: "v").settings == Settings())
  }

  @Test func theGuideHoldsTheTable() throws {
    try expectFile(
      "Config/README.md", contains: SettingsText.markdownTable(),
      between: ("<!-- keys: written by `make docs` -->", "<!-- /keys -->"))
  }
}

@Suite struct SettingsLoaderTests {
  @Test func aNamedFileMustExist() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/none.toml"
    #expect {
      try SettingsLoader(path: path).load()
    } throws: { error in
      (error as? SettingsProblems)?.list.map(\.description) == [
        "\(path): can't be read: No such file or directory"
      ]
    }
  }

  @Test func aDirectoryIsNoFile() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: SettingsProblems.self) { try SettingsLoader(path: directory.path).load() }
  }

  @Test func optionsOverrideTheFileAndSaySo() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      "[device]\nname = \"A\"\nroom = \"B\"\n[log]\nhttp = \"error\"\n", to: "v.toml")
    let loaded = try SettingsLoader(path: file, name: "C", logLevel: .debug).load()
    #expect(loaded.settings.device.name == "C")
    #expect(loaded.settings.log == Settings.Log(level: .debug))
    let text = SettingsText.effective(loaded)
    #expect(text.contains("\nname = \"C\"  # --name\n"))
    #expect(text.contains("\nroom = \"B\"  # line 3\n"))
    #expect(text.contains("\nlevel = \"debug\"  # --log-level\n"))
    #expect(text.contains("\nport = 49494  # default\n"))
    // An empty list says less than what that means.
    #expect(text.contains("\n# interfaces: not set (all that lead to a local network, "))
    #expect(try SettingsReader.read(Array(text.utf8), file: "v").settings == loaded.settings)
  }
}
