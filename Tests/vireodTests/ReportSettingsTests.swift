import Foundation
import Listening
import Testing

@testable import vireod

@Suite struct ReportSettingsTests {
  private func read(_ text: String) throws -> Settings.Reports {
    try SettingsReader.read(Array(text.utf8), file: "v.toml").settings.reports
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try SettingsReader.read(Array(text.utf8), file: "v.toml")
      return []
    } catch {
      return error.list.map(\.description)
    }
  }

  @Test func nothingIsReportedByDefault() throws {
    let reports = try read("")
    #expect(!reports.enabled && reports.sinks.isEmpty)
    #expect(reports.rules.sources == [.playlist, .upnpAV] && !reports.rules.hasStations)
    #expect(reports.timeout == .seconds(10) && reports.offline)
  }

  @Test func sectionsBelowASectionAreRead() throws {
    let reports = try read(
      """
      [reports]
      enabled = true
      sources = ["playlist", "receiver"]
      timeout = "20s"
      site = "Home"
      [reports.listenbrainz]
      url = "http://192.0.2.7:42010/apis/listenbrainz"
      token-file = "/etc/vireo/token"
      [reports.webhook]
      url = "https://hooks.example/vireo?a=b"
      interval = "0s"
      attributes = { room = "kitchen", "a b" = "" }
      [reports.lastfm]
      api-key = "0123456789abcdef"
      secret-file = "lastfm-secret"
      """)
    #expect(reports.enabled && reports.site == "Home" && reports.timeout == .seconds(20))
    #expect(reports.sinks == [.listenBrainz, .webhook, .lastFM])
    #expect(reports.rules == .init(sources: [.playlist, .receiver], hearing: [.half, .halfOfLonger]))
    #expect(reports.url(of: .listenBrainz) == "http://192.0.2.7:42010/apis/listenbrainz")
    #expect(reports.url(of: .lastFM) == LastFM.address)
    #expect(
      reports.webhook.attributes == [.init(name: "room", value: "kitchen"), .init(name: "a b", value: "")])
    #expect(
      try read("[reports.webhook.attributes]\na = \"b\"").webhook.attributes.count == 1, "or as a section")
    #expect(try read("reports.webhook.url = \"http://a\"").webhook.url == "http://a", "or with dots")
  }

  @Test func radioIsAWordForStations() throws {
    for text in ["radio = true", "sources = [\"radio\", \"playlist\", \"upnp-av\"]"] {
      let rules = try read("[reports]\n\(text)\n").rules
      #expect(rules.hasStations && rules.sources == [.playlist, .radio, .upnpAV])
    }
  }

  @Test func onlyAWebhookIsToldMoreThanOnce() throws {
    #expect(try read("[reports.listenbrainz]\ntoken-file = \"/t\"").rules.interval == nil)
    #expect(try read("[reports.webhook]\nurl = \"http://a\"").rules.interval == .seconds(60))
  }

  @Test(arguments: [
    (
      "[reports.listenbrain]\n",
      "v.toml:1: [reports.listenbrain]: no such section; there are reports.listenbrainz,",
      "did you mean [reports.listenbrainz]?"
    ),
    (
      "[listenbrainz]\n", "v.toml:1: [listenbrainz]: no such section; there are",
      "did you mean [reports.listenbrainz]?"
    ),
    (
      "[reports]\nlistenbrainz = 5\n",
      "reports.listenbrainz: is a whole number; write a section [reports.listenbrainz]", ""
    ),
    (
      "[reports]\ntoken-file = \"/a\"\n", "reports.token-file: no such key; [reports] has enabled,",
      "did you mean token-file in [reports.listenbrainz]?"
    ),
    (
      "[reports.webhook]\nurll = \"http://a\"\n",
      "v.toml:2: reports.webhook.urll: no such key; [reports.webhook] has url,",
      "did you mean url?"
    ),
    (
      "[reports]\nsources = [\"playlst\"]\n",
      "reports.sources: \"playlst\" isn't a source; allowed are playlist,",
      "did you mean \"playlist\"?"
    ),
    ("[reports]\nenabled = \"yes\"\n", "reports.enabled: is a text; allowed is true or false", ""),
    (
      "[reports]\ntimeout = \"0s\"\n",
      "reports.timeout: 0s is out of range; allowed is a duration from 1s to 2min", ""
    ),
    ("[reports]\nsite = \"a\\nb\"\n", "reports.site: holds control characters", ""),
    (
      "[reports.webhook]\nurl = \"ftp://a\"\n", "reports.webhook.url: \"ftp://a\" isn't an address",
      "http:// or https://"
    ),
    (
      "[reports.webhook]\nurl = \"https://u:p@a/\"\n", "reports.webhook.url: must hold no password",
      "token-file"
    ),
    (
      "[reports.webhook]\nurl = \"https://a:99999/\"\n",
      "reports.webhook.url: \"https://a:99999/\" isn't an address", ""
    ),
    (
      "[reports.webhook]\nurl = \"https:///path\"\n",
      "reports.webhook.url: \"https:///path\" isn't an address", ""
    ),
    ("[reports.webhook]\ninterval = \"2h\"\n", "reports.webhook.interval: 2h is out of range", ""),
    (
      "[reports.webhook]\nattributes = [\"a\"]\n",
      "reports.webhook.attributes: is a list; allowed is a table of at most 16", ""
    ),
    (
      "[reports.webhook]\nattributes = { a = 1 }\n",
      "reports.webhook.attributes: holds a whole number; allowed is", ""
    ),
    (
      "[reports.webhook]\nattributes = { \"\" = \"a\" }\n",
      "reports.webhook.attributes: has a text without a name", ""
    ),
    (
      "[reports.webhook]\nattributes = { a = \"\\u0007\" }\n",
      "reports.webhook.attributes: \"a\" holds control", ""
    ),
    (
      "[reports.lastfm]\nsecret-file = \"dir/secret\"\n",
      "reports.lastfm.secret-file: \"dir/secret\" is neither an absolute path", ""
    ),
    ("[reports.lastfm]\napi-key = \"a b\"\n", "reports.lastfm.api-key: isn't a key", ""),
  ]) func mistakesAreNamed(text: String, beginning: String, end: String) {
    let found = problems(text)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(beginning) == true, "\(found)")
    #expect(end.isEmpty || found.first?.contains(end) == true, "\(found)")
  }

  @Test func attributesAreBounded() {
    let many = (0..<17).map { "a\($0) = \"\"" }.joined(separator: ", ")
    #expect(problems("[reports.webhook]\nattributes = { \(many) }\n").first?.contains("has 17 names") == true)
    let long = String(repeating: "a", count: 201)
    #expect(problems("[reports.webhook]\nattributes = { a = \"\(long)\" }\n").count == 1)
  }

  // MARK: - On this host

  private func said(_ text: String, in directory: TemporaryDirectory) throws -> [String] {
    let path = try directory.write(text, to: "vireo.toml")
    return HostChecks.problems(try SettingsLoader(path: path).load())
      .map { $0.description.replacing(directory.path, with: "DIR") }
  }

  private func token(_ text: String, mode: Int = 0o600, in directory: TemporaryDirectory) throws -> String {
    let path = try directory.write(text, to: "token")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func listenBrainz(_ path: String) -> String {
    "[reports]\nenabled = true\n[reports.listenbrainz]\ntoken-file = \"\(path)\"\n"
  }

  @Test func aTokenOfOnesOwnIsFine() throws {
    let directory = try TemporaryDirectory()
    #expect(try said(listenBrainz(try token("abc\n", in: directory)), in: directory) == [])
  }

  @Test func aTokenThatOthersCanReadIsAWarning() throws {
    let directory = try TemporaryDirectory()
    let path = try token("abc\n", mode: 0o644, in: directory)
    #expect(
      try said(listenBrainz(path), in: directory) == [
        "DIR/vireo.toml:4: reports.listenbrainz.token-file: DIR/token can be read by everybody on this machine; "
          + "chmod 600 DIR/token keeps it secret"
      ])
  }

  @Test(arguments: ["", "\n", "two words", "\u{7}"]) func whatIsNoTokenIsToldWithoutShowingIt(text: String)
    throws
  {
    let directory = try TemporaryDirectory()
    let path = try token(text, in: directory)
    #expect(
      try said(listenBrainz(path), in: directory) == [
        "DIR/vireo.toml:4: reports.listenbrainz.token-file: DIR/token can't be used: its first line isn't one word"
      ])
  }

  @Test func aTokenThatIsMissingIsTold() throws {
    let directory = try TemporaryDirectory()
    _ = try token("abc", in: directory)
    #expect(
      try said(listenBrainz("\(directory.path)/tokn"), in: directory) == [
        "DIR/vireo.toml:4: reports.listenbrainz.token-file: there is no DIR/tokn; did you mean DIR/token?"
      ])
    #expect(try said(listenBrainz("a-credential"), in: directory) == [], "only the service knows")
  }

  @Test func reportsWithoutAServerAreToldToBe() throws {
    let directory = try TemporaryDirectory()
    #expect(
      try said("[reports]\nenabled = true\n", in: directory).first?.contains(
        "reports.enabled: is true, but no") == true)
    #expect(try said("[reports.listenbrainz]\ntoken-file = \"/none\"\n", in: directory) == [], "they are off")
  }

  @Test func aKeyAloneIsNotEnough() throws {
    let directory = try TemporaryDirectory()
    let found = try said("[reports]\nenabled = true\n[reports.lastfm]\napi-key = \"a\"\n", in: directory)
    #expect(
      found.count == 2 && found.allSatisfy { $0.contains("isn't set, so nothing can be reported there") })
  }

  @Test func secretsAreOneWord() throws {
    let directory = try TemporaryDirectory()
    #expect(try SecretFile.read(try token("  abc  \r\nmore\n", in: directory)).get() == "abc")
    let environment = { (name: String) in name == "CREDENTIALS_DIRECTORY" ? directory.path : nil }
    #expect(try SecretFile.read("token", environment: environment).get() == "abc")
    #expect(throws: FileFailure.self) { try SecretFile.read("token", environment: { _ in nil }).get() }
  }
}
