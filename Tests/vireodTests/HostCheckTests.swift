import Foundation
import Testing

@testable import vireod

@Suite struct HostCheckTests {
  /// What is said of a file with this text.
  private func problems(_ text: String, in directory: TemporaryDirectory) throws -> [String] {
    let path = try directory.write(text, to: "vireo.toml")
    let loaded = try SettingsLoader(path: path).load()
    return HostChecks.problems(loaded).map { $0.description.replacing(directory.path, with: "DIR") }
  }

  private func program(_ name: String, mode: Int, in directory: TemporaryDirectory) throws {
    let path = try directory.write("#!/bin/sh\n", to: name)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test func whatIsThereIsFine() throws {
    let directory = try TemporaryDirectory()
    try program("amplifier", mode: 0o755, in: directory)
    let text = """
      [audio]
      mixer = "command:\(directory.path)/amplifier"
      [hooks]
      on-play = ["\(directory.path)/amplifier", "on"]
      """
    #expect(try problems(text, in: directory) == [])
    #expect(try problems("", in: directory) == [])
  }

  @Test func thePortOfTheZoneIsNotFreeForAnythingElse() throws {
    let directory = try TemporaryDirectory()
    #expect(
      try problems("[network]\nport = 1400\n[sonos]\nenabled = true\n", in: directory) == [
        "DIR/vireo.toml:2: network.port: is 1400, which the zone of [sonos] needs; choose another one"
      ])
    #expect(try problems("[network]\nport = 1400\n", in: directory) == [])
  }

  @Test func aHookThatIsNotThereIsNamedWithItsLineAndWhatWasMeant() throws {
    let directory = try TemporaryDirectory()
    try program("amplifier", mode: 0o755, in: directory)
    #expect(
      try problems("[hooks]\n\non-stop = [\"\(directory.path)/amplifer\", \"off\"]\n", in: directory) == [
        "DIR/vireo.toml:3: hooks.on-stop: there is no DIR/amplifer; did you mean DIR/amplifier?"
      ])
    #expect(
      try problems("[hooks]\non-play = [\"\(directory.path)/bin/amp\"]\n", in: directory) == [
        "DIR/vireo.toml:2: hooks.on-play: there is no directory DIR/bin"
      ])
  }

  @Test func whatCantBeRunIsSaidToBeSo() throws {
    let directory = try TemporaryDirectory()
    try program("amplifier", mode: 0o644, in: directory)
    #expect(
      try problems("[hooks]\non-mute = [\"\(directory.path)/amplifier\"]\non-play = [\"/\"]", in: directory)
        == [
          "DIR/vireo.toml:3: hooks.on-play: / is no program, but a directory or the like",
          "DIR/vireo.toml:2: hooks.on-mute: DIR/amplifier isn't executable; chmod +x makes it so",
        ])
  }

  @Test func argumentsOfAMixerAreFound() throws {
    let directory = try TemporaryDirectory()
    try program("amplifier", mode: 0o755, in: directory)
    let said = try problems("[audio]\nmixer = \"command:\(directory.path)/amplifier set 1\"\n", in: directory)
    #expect(
      said.count == 1 && said[0].hasPrefix("DIR/vireo.toml:2: audio.mixer: there is no DIR/amplifier set 1"))
    #expect(said[0].contains("write \"command:DIR/amplifier\"") && said[0].contains("\"set 1\""))
    // A blank may be part of the name.
    try program("my amplifier", mode: 0o755, in: directory)
    #expect(
      try problems("[audio]\nmixer = \"command:\(directory.path)/my amplifier\"\n", in: directory) == [])
  }

  @Test func argumentsOfAHookAreFound() throws {
    let directory = try TemporaryDirectory()
    try program("amplifier", mode: 0o755, in: directory)
    let said = try problems("[hooks]\non-play = [\"\(directory.path)/amplifier on\"]\n", in: directory)
    #expect(
      said.count == 1 && said[0].hasPrefix("DIR/vireo.toml:2: hooks.on-play: there is no DIR/amplifier on"))
    #expect(said[0].contains("write [\"DIR/amplifier\", \"on\"]"))
  }

  @Test func aCardThatIsNotThereIsNamed() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("[audio]\nmixer = \"alsa:Nope@hw:9\"\n", to: "vireo.toml")
    let said = HostChecks.cardProblems(try SettingsLoader(path: path).load()).map(\.description)
    #expect(said.count == 1)
    #expect(said[0].contains("vireo.toml:2: audio.mixer: the volume can't be set with \"Nope\" of hw:9"))
    let other = try directory.write("[audio]\nmixer = \"software\"\n", to: "other.toml")
    #expect(HostChecks.cardProblems(try SettingsLoader(path: other).load()).isEmpty)
  }

  @Test func anIconThatIsNoneIsNamed() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("GIF89a", to: "icon.png")
    let said = try problems("[device]\nicon = \"\(directory.path)/icon.png\"\n", in: directory)
    #expect(
      said.count == 1
        && said[0].hasPrefix("DIR/vireo.toml:2: device.icon: DIR/icon.png can't be used: not a PNG"))
    let other = try problems("[device]\nicon = \"\(directory.path)/icn.png\"\n", in: directory)
    #expect(other.count == 1 && other[0].contains("there is no DIR/icn.png; did you mean DIR/icon.png?"))
  }

  @Test func bothDevicesOffAreNobody() throws {
    let directory = try TemporaryDirectory()
    let said = try problems("[openhome]\nenabled = false\n[upnp-av]\nenabled = false\n", in: directory)
    #expect(
      said.count == 1
        && said[0].hasPrefix("DIR/vireo.toml:4: upnp-av.enabled: is false, and so is openhome.enabled"))
    #expect(try problems("[upnp-av]\nenabled = false\n", in: directory) == [])
  }

  @Test func aPeriodThatIsTooLongIsNamedWithTheLongest() throws {
    let directory = try TemporaryDirectory()
    #expect(
      try problems("[audio]\nbuffer = \"150ms\"\nperiod = \"100ms\"\n", in: directory) == [
        "DIR/vireo.toml:3: audio.period: is more than half of audio.buffer (150ms), so that half is used; "
          + "write 75ms or less, or make the buffer longer"
      ])
    #expect(try problems("[audio]\nbuffer = \"150ms\"\nperiod = \"75ms\"\n", in: directory) == [])
    #expect(try problems("[audio]\nbuffer = 0\nperiod = \"100ms\"\n", in: directory) == [])
  }

  @Test func aStartupSourceThatIsOffIsNamed() throws {
    let directory = try TemporaryDirectory()
    let start = "[openhome]\nstartup-source = \"upnp-av\"\n"
    #expect(
      try problems("[upnp-av]\nenabled = false\n" + start, in: directory) == [
        "DIR/vireo.toml:4: openhome.startup-source: is \"upnp-av\", but upnp-av.enabled is false, so the last source "
          + "is used; set that to true, or choose another source"
      ])
    #expect(
      try problems(start + "[compatibility]\nhide-upnp-av = true\n", in: directory) == [
        "DIR/vireo.toml:2: openhome.startup-source: is \"upnp-av\", but compatibility.hide-upnp-av is true, so the "
          + "last source is used; set that to false, or choose another source"
      ])
    #expect(try problems(start, in: directory) == [])
    let radio = "[openhome]\nstartup-source = \"radio\"\n[upnp-av]\nenabled = false\n"
    #expect(try problems(radio, in: directory) == [])
  }

  @Test func aFileOfStationsThatIsNotThereIsNamed() throws {
    let directory = try TemporaryDirectory()
    let list = try directory.write("#EXTM3U\n", to: "stations.m3u")
    let text = """
      [radio]
      playlists = ["\(list)", "http://192.0.2.1/a.m3u", "\(directory.path)/statons.m3u", "\(directory.path)"]
      """
    let loaded = try SettingsLoader(path: try directory.write(text, to: "vireo.toml")).load()
    let said = HostChecks.listProblems(loaded).map { $0.description.replacing(directory.path, with: "DIR") }
    #expect(
      said == [
        "DIR/vireo.toml:2: radio.playlists: there is no DIR/statons.m3u; did you mean DIR/stations.m3u?",
        "DIR/vireo.toml:2: radio.playlists: DIR can't be read: not a regular file",
      ])
  }

  @Test(arguments: [" ", "\t", "\u{a0}\u{200b}", "\u{3164}", "\u{2800}"]) func aBlankNameIsAMistake(
    name: String
  ) {
    #expect(SettingsChecks.friendlyName(name) != nil)
    #expect(SettingsChecks.name(name) != nil)
    #expect(SettingsChecks.friendlyName("") == nil && SettingsChecks.friendlyName(" a ") == nil)
  }
}
