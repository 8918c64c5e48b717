import Testing

@testable import vireod

@Suite struct SettingsReaderStationTests {
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

  @Test func stationsAreSectionsOfTheirOwn() throws {
    let settings = try read(
      """
      [radio]
      playlists = ["/srv/a.m3u", "https://example.org/b.opml"]
      [[radio.preset]]
      name = "One"
      url = "http://192.0.2.1/one"
      image = "http://192.0.2.1/one.png"
      [[radio.preset]]
      url = "http://192.0.2.1/two"
      """)
    #expect(
      settings.radio
        == .init(
          playlists: ["/srv/a.m3u", "https://example.org/b.opml"],
          presets: [
            .init(name: "One", url: "http://192.0.2.1/one", image: "http://192.0.2.1/one.png"),
            .init(url: "http://192.0.2.1/two"),
          ]))
  }

  @Test func mistakesInStationsAreFound() {
    let found = problems(
      """
      [[radio.preset]]
      name = "No address"
      [[radio.preset]]
      nmae = "Slip"
      url = "ftp://192.0.2.1/"
      image = 7
      [[radio.preset]]
      url = ""
      """)
    #expect(
      found == [
        "v.toml:1: radio.preset: has no url; each station needs one",
        "v.toml:4: radio.preset.nmae: no such key; [[radio.preset]] has name, url, image; did you mean name?",
        "v.toml:5: radio.preset.url: \"ftp://192.0.2.1/\" isn't an address; it must begin with http:// or https://",
        "v.toml:6: radio.preset.image: is a whole number; allowed is a text",
        "v.toml:8: radio.preset.url: is empty; it must be an address, as in \"http://radio.example/stream\"",
      ])
    #expect(problems("[radio]\npreset = [1]\nplaylists = [\"a.m3u\"]\n").count == 2)
    #expect(
      problems("[radio.preset]\nurl = \"http://a/\"\n") == [
        "v.toml:1: radio.preset: is a table; write a section [[radio.preset]] for each station"
      ])
  }

  @Test func moreStationsThanPlacesAreAMistake() {
    let station = "[[radio.preset]]\nurl = \"http://192.0.2.1/\"\n"
    #expect(problems(String(repeating: station, count: 100)).isEmpty)
    #expect(
      problems(String(repeating: station, count: 101)) == [
        "v.toml:201: radio.preset: there are 101 of them; allowed are 100"
      ])
  }

  @Test func aStartUpVolumeIsAnumberOrNone() throws {
    #expect(try read("[volume]\nstartup = 0\n").volume.startup == 0)
    #expect(try read("[volume]\nstartup = \"none\"\n").volume.startup == nil)
    #expect(
      problems("[volume]\nstartup = 101\n") == [
        "v.toml:2: volume.startup: 101 is out of range; allowed is \"none\" or a whole number from 0 to 100"
      ])
    #expect(problems("[volume]\nstartup = \"off\"\n").count == 1)
  }
}
