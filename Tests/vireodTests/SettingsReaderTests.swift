import GStreamerOutput
import Testing

@testable import vireod

@Suite struct SettingsReaderTests {
  private func read(_ text: String) throws -> Settings {
    try SettingsReader.read(Array(text.utf8), file: "v.toml").settings
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try SettingsReader.read(Array(text.utf8), file: "v.toml")
      return []
    } catch {
      return error.list.map(\.description)
    }
  }

  @Test func anEmptyFileGivesTheDefaults() throws {
    #expect(try read("") == Settings())
    #expect(try read("# nothing\n[device]\n") == Settings())
  }

  /// Who takes the # away in front of a line of the file that is installed changes nothing.
  @Test func theLinesOfTheTemplateMayBeWritten() throws {
    for key in SettingsSchema.keys {
      if case .presets = key.kind { continue }
      let line = "\(key.name) = \(key.toml(in: Settings()))"
      #expect(SettingsText.template().contains("#\(line)\n"), "\(key.path)")
      #expect(problems("[\(key.section)]\n\(line)\n") == [], "\(key.path)")
    }
  }

  @Test func originsOfFramesAreChecked() throws {
    #expect(try read("").page.frameAncestors.isEmpty)
    let good = ["https://home.example:8123", "http://192.0.2.7"]
    #expect(
      try read("[page]\nframe-ancestors = [\"\(good[0])\", \"\(good[1])\"]").page.frameAncestors == good)
    for (text, meant) in [
      ("home.example:8123", "did you mean \"http://home.example:8123\"?"),
      ("https://home.example/lovelace", "did you mean \"https://home.example\"?"),
      ("https://a; script-src *", "did you mean \"https://a\"?"),
      ("https://a https://b", "did you mean \"https://a\"?"), ("*", "origins look like"),
      ("'self'", "origins look like"), ("https://*.example", "origins look like"), ("", "origins look like"),
      ("https://a:", "origins look like"), ("https://a:99999", "origins look like"),
      ("https://u@a", "origins look like"), ("javascript:x", "origins look like"),
    ] {
      let found = problems("[page]\nframe-ancestors = [\"\(text)\"]\n")
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix("v.toml:2: page.frame-ancestors: ") == true, "\(text): \(found)")
      #expect(found.first?.contains(meant) == true, "\(text): \(found)")
    }
  }

  @Test func everyKindOfValueIsRead() throws {
    let settings = try read(
      """
      [device]
      name = "Küche \\u2603"
      uuid = "uuid:4d696e69-444c-164e-9d41-b827eb96c6c2"
      [network]
      interfaces = ["eth0", "wlan0"]
      port = 0
      ipv6 = false
      allow = ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"]
      [limits]
      header-seconds = 2.5
      [audio]
      output = "alsa:hw:0"
      release-after = "1min"
      rates = [48_000, 44100]
      [playback]
      buffer = "500ms"
      timeout = 3
      directories = ["/srv/music"]
      replaygain = "album"
      replaygain-preamp = -6
      replaygain-clipping-protection = false
      [volume]
      curve = "db"
      [upnp-av]
      enabled = false
      [log]
      level = "warning"
      http = "trace"
      """)
    #expect(settings.device.name == "Küche ☃")
    #expect(settings.network.interfaces == ["eth0", "wlan0"])
    #expect(settings.network.port == 0)
    #expect(!settings.network.ipv6)
    #expect(settings.network.allow.count == 3)
    #expect(settings.limits.headerTime == .milliseconds(2500))
    #expect(settings.audio == .init(output: "alsa:hw:0", releaseAfter: .seconds(60), rates: [48000, 44100]))
    #expect(settings.outputConfiguration.rates == AllowedRates([48000, 44100]))
    #expect(settings.playback.buffer == .milliseconds(500))
    #expect(settings.playback.timeout == .seconds(3))
    #expect(settings.playback.replayGain == .album)
    #expect(
      settings.outputConfiguration.replayGain
        == ReplayGain(mode: .album, preamp: -6, preventsClipping: false))
    #expect(settings.volume.curve == .db)
    #expect(!settings.upnpAV.enabled)
    #expect(settings.log.http == .trace)
    #expect(settings.log.output == nil)
  }

  /// UPnP AV is left out beside OpenHome, never alone: then nothing would be there at all.
  @Test(arguments: [(true, true, false), (true, false, true), (false, true, true), (false, false, true)])
  func upnpAVCanBeHiddenBesideOpenHome(openHome: Bool, hides: Bool, isThere: Bool) {
    var settings = Settings()
    settings.openHome.enabled = openHome
    settings.compatibility.hidesUPnPAV = hides
    #expect(settings.offersUPnPAV == isThere)
    #expect(settings.playerConfiguration(shuffleSeed: 0).sources.contains(.upnpAV) == isThere)
    settings.upnpAV.enabled = false
    #expect(!settings.offersUPnPAV)
  }

  /// Nesting is recursion; these would be the end of the stack.
  @Test(arguments: [
    String(repeating: "a.", count: 100_000) + "a = 1", "[" + String(repeating: "a.", count: 100_000) + "a]",
    "a = " + String(repeating: "[", count: 100_000), "a = " + String(repeating: "{a=", count: 100_000),
    "a = " + String(repeating: "[\n{" + String(repeating: "a.", count: 400) + "a=", count: 200),
  ])
  func nestingIsBounded(text: String) {
    #expect(problems("# 1\n" + text).first?.hasPrefix("v.toml:") == true)
  }

  @Test func afterManyProblemsTheRestIsNotRead() {
    let text = "[network]\n" + (0..<5000).map { "k\($0) = 1\n" }.joined()
    let found = problems(text)
    #expect(found.count == 101)
    #expect(found.last == "v.toml:102: too many mistakes; the rest of the file was not checked")
  }

  @Test func linesOfKeysAreKept() throws {
    let result = try SettingsReader.read(Array("\n[network]\n# a\nport = 1\nttl = 3\n".utf8), file: "v")
    #expect(result.lines == ["network.port": 4, "network.ttl": 5])
  }

  @Test(arguments: [
    ("[devise]\n", "v.toml:1: [devise]: no such section; there are", "did you mean [device]?"),
    ("port = 1\n", "v.toml:1: port: keys stand in sections; this one belongs below [network]", ""),
    ("[network]\nprot = 1\n", "v.toml:2: network.prot: no such key; [network] has", "did you mean port?"),
    ("[device]\nport = 1\n", "v.toml:2: device.port: no such key", "did you mean port in [network]?"),
    (
      "[device]\nzzzzzz = 1\n", "v.toml:2: device.zzzzzz: no such key; [device] has name, room, uuid, icon",
      ""
    ),
    ("[network]\nport = \"x\"\n", "v.toml:2: network.port: is a text; allowed is a whole number from 0", ""),
    ("[network]\nport = 65536\n", "v.toml:2: network.port: 65536 is out of range; allowed is", ""),
    ("[network]\nport = 1.5\n", "network.port: is a number with a fraction; allowed is", ""),
    ("[network]\nport = 2026-11-21\n", "network.port: is a date or time; allowed is", ""),
    ("[network]\nipv6 = 1\n", "network.ipv6: is a whole number; allowed is true or false", ""),
    ("[network]\ninterfaces = \"eth0\"\n", "network.interfaces: is a text; allowed is a list of texts", ""),
    (
      "[network]\ninterfaces = [1]\n", "network.interfaces: holds a whole number; allowed is a list of texts",
      ""
    ),
    (
      "[network]\nallow = [\"192.0.2.0/33\"]\n", "network.allow: \"192.0.2.0/33\" has a wrong length",
      "/0 to /32"
    ),
    ("[network]\nallow = [\"home\"]\n", "network.allow: \"home\" isn't a network; networks look like", ""),
    ("[device]\nuuid = \"a:b\"\n", "device.uuid: holds characters that can't stand in a URL path", ""),
    ("[device]\nuuid = \"uuid:\"\n", "device.uuid: has 0 characters after \"uuid:\"", ""),
    ("[device]\nuuid = \"..\"\n", "device.uuid: must not consist of dots", ""),
    ("[device]\nname = \"\(String(repeating: "x", count: 64))\"\n", "device.name: has 64 characters", ""),
    ("[device]\nicon = \"bird.png\"\n", "device.icon: \"bird.png\" isn't an absolute path", ""),
    (
      "[playback]\nbuffer = \"2 parsecs\"\n", "playback.buffer: isn't a duration; allowed is a duration from",
      ""
    ),
    (
      "[playback]\nbuffer = \"2h\"\n",
      "playback.buffer: 2h is out of range; allowed is a duration from 100ms to", ""
    ),
    ("[playback]\nbuffer = -1\n", "playback.buffer: isn't a duration", ""),
    (
      "[volume]\ncurve = \"cubik\"\n", "volume.curve: \"cubik\" isn't known; allowed is one of",
      "did you mean \"cubic\"?"
    ),
    ("[log]\nlevel = \"dbug\"\n", "log.level: \"dbug\" isn't known", "did you mean \"debug\"?"),
    ("[audio]\noutput = \"puls\"\n", "audio.output: \"puls\" isn't an output", "did you mean \"pulse\"?"),
    (
      "[audio]\nrates = 44100\n", "v.toml:2: audio.rates: is a whole number; allowed is a list of at most 16",
      ""
    ),
    (
      "[audio]\nrates = [44100,\n7999]\n",
      "v.toml:3: audio.rates: 7999 is out of range; allowed is a list of",
      "whole numbers from 8000 to 768000 (Hz)"
    ),
    ("[audio]\nrates = [768001]\n", "v.toml:2: audio.rates: 768001 is out of range; allowed is", ""),
    ("[audio]\nrates = [\"44100\"]\n", "v.toml:2: audio.rates: holds a text; allowed is a list of", ""),
    ("[audio]\nrates = [44.1]\n", "v.toml:2: audio.rates: holds a number with a fraction; allowed is", ""),
    (
      "[audio]\nrates = [\(String(repeating: "44100, ", count: 17))]\n",
      "v.toml:2: audio.rates: has 17 elements; allowed is a list of at most 16", ""
    ),
    ("[audio]\noutput = \"file:a.wav\"\n", "audio.output: needs an absolute path", ""),
    ("[audio]\noutput = \"pipeline:\"\n", "audio.output: has nothing after \"pipeline:\"", ""),
    (
      "[audio]\noutput = \"pulse:\"\n", "audio.output: has nothing after \"pulse:\"; write \"pulse\"",
      "unless you mean a certain device"
    ),
    (
      "[audio]\noutput = \"alsa:\"\n", "audio.output: has nothing after \"alsa:\"; write \"alsa\"",
      "unless you mean a certain device"
    ),
    ("[network\n", "v.toml:1: isn't TOML:", ""),
    ("[\n", "v.toml:1: isn't TOML:", ""),
    ("[network]\nport = 1\nport = 2\n", "v.toml:3: isn't TOML:", ""),
    ("network = 1\n", "v.toml:1: network: is a whole number; write a section [network]", ""),
  ])
  func aMistakeIsExplained(text: String, message: String, ending: String) {
    let found = problems(text)
    #expect(found.count == 1)
    #expect(found.first?.contains(message) == true, "\(found)")
    #expect(found.first?.hasSuffix(ending) == true, "\(found)")
  }

  @Test func allMistakesAreReportedAtOnceInOrder() {
    let found = problems("[network]\nport = -1\nttl = 0\nipv7 = true\n[loq]\n[volume]\nlimit = 101\n")
    #expect(found.map { $0.prefix(9) } == ["v.toml:2:", "v.toml:3:", "v.toml:4:", "v.toml:5:", "v.toml:7:"])
  }

  @Test func hostileTextsDontHarm() {
    #expect(problems(String(repeating: "a = [", count: 1000)).count == 1)
    #expect(problems("\u{0}").count == 1)
    #expect(problems(String(repeating: "[", count: 100_000)).count == 1)
    #expect(
      problems("[network]\nallow = [" + String(repeating: "\"192.0.2.1\",", count: 65) + "]").count == 1)
  }
}

@Suite struct SuggestionTests {
  @Test func swapsAndSlipsAreNear() {
    #expect(Suggestion.distance("prot", "port") == 1)
    #expect(Suggestion.distance("port", "ports") == 1)
    #expect(Suggestion.distance("", "abc") == 3)
    #expect(Suggestion.distance("kitten", "sitting") == 3)
    #expect(Suggestion.nearest(to: "NAME", among: ["name", "room"]) == "name")
    #expect(Suggestion.nearest(to: "qqqq", among: ["name", "room"]) == nil)
  }
}

@Suite struct DurationTextTests {
  @Test(arguments: [
    ("2s", 2000), ("500ms", 500), ("1.5s", 1500), ("2 min", 120_000), ("1h", 3_600_000), ("7", 7000),
    ("0", 0),
    ("0.0004s", 0),
  ])
  func reads(text: String, milliseconds: Int) {
    #expect(DurationText.read(text) == .milliseconds(milliseconds))
  }

  @Test(arguments: ["", "s", "-1s", "2 days", "1e400", "1.2.3s", "2s ", "inf", "99999999999999h"])
  func refuses(text: String) {
    #expect(DurationText.read(text) == nil)
  }

  @Test(arguments: [0, 1, 500, 1500, 2000, 90_000, 120_000, 3_600_000])
  func whatIsWrittenIsReadBack(milliseconds: Int) {
    let duration = Duration.milliseconds(milliseconds)
    #expect(DurationText.read(DurationText.write(duration)) == duration)
  }
}
