import Player
import Testing

@testable import Services

@Suite struct TransportTests {
  private let speaker = Speaker()

  private func stream(_ name: String) throws -> String? {
    try speaker.call(speaker.transport, "StreamInfo")[name]
  }

  private func playAs(_ mode: String, _ command: String) throws -> Int? {
    try speaker.fault(speaker.transport, "PlayAs", ["Mode": mode, "Command": command])
  }

  private func playPlaylist() throws {
    try speaker.add("a", "b", "c")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    speaker.output { .duration($0, .seconds(100)) }
    speaker.output { .seekable($0, true) }
  }

  @Test func modes() throws {
    #expect(
      try speaker.call(speaker.transport, "Modes")["Modes"]
        == "[\"playlist\",\"radio\",\"upnpav\",\"receiver\"]")
    try speaker.add("a", "b")
    try speaker.call(speaker.product, "SetSourceIndex", ["Value": "0"])
    #expect(
      try speaker.call(speaker.transport, "ModeInfo") == [
        "CanSkipNext": "1", "CanSkipPrevious": "1", "CanRepeat": "1", "CanShuffle": "1",
      ])
    try speaker.setChannel()
    #expect(
      try speaker.call(speaker.transport, "ModeInfo") == [
        "CanSkipNext": "0", "CanSkipPrevious": "0", "CanRepeat": "0", "CanShuffle": "0",
      ])
  }

  @Test func followsTheActiveSource() throws {
    try playPlaylist()
    #expect(speaker.state(speaker.transport) == "Playing")
    try speaker.call(speaker.transport, "Pause")
    #expect(speaker.state(speaker.playlist) == "Paused")
    try speaker.call(speaker.transport, "Play")
    speaker.output { .playing($0, position: .zero) }
    try speaker.call(speaker.transport, "SkipNext")
    #expect(speaker.evented(speaker.playlist, "Id") == "2")
    try speaker.call(speaker.transport, "SkipPrevious")
    #expect(speaker.evented(speaker.playlist, "Id") == "1")
    try speaker.call(speaker.transport, "Stop")
    #expect(speaker.state(speaker.transport) == "Stopped")
  }

  @Test func aStationHasNoNext() throws {
    try speaker.setChannel()
    try speaker.call(speaker.transport, "Play")
    speaker.hear()
    #expect(try speaker.fault(speaker.transport, "SkipNext") == 801)
    #expect(try speaker.fault(speaker.transport, "SkipPrevious") == 801)
    #expect(try stream("CanPause") == "0")
    try speaker.call(speaker.transport, "Pause")
    #expect(speaker.state(speaker.transport) == "Stopped")
  }

  @Test func lateSeeksAreRefused() throws {
    try playPlaylist()
    let id = try #require(try stream("StreamId"))
    #expect(id != "0")
    #expect(try stream("CanSeek") == "1")
    #expect(try stream("CanPause") == "1")
    let arguments = ["StreamId": id, "SecondAbsolute": "10", "SecondRelative": "-5"]
    #expect(try speaker.fault(speaker.transport, "SeekSecondAbsolute", arguments) == nil)
    #expect(try speaker.fault(speaker.transport, "SeekSecondRelative", arguments) == nil)
    try speaker.call(speaker.transport, "SkipNext")
    speaker.hear()
    #expect(try stream("StreamId") != id)
    #expect(try speaker.fault(speaker.transport, "SeekSecondAbsolute", arguments) == 804)
    #expect(try speaker.fault(speaker.transport, "SeekSecondRelative", arguments) == 804)
  }

  @Test func anotherModeHasNoStreamYet() throws {
    try playPlaylist()
    try speaker.call(speaker.product, "SetSourceIndex", ["Value": "1"])
    #expect(
      try speaker.call(speaker.transport, "StreamInfo") == ["StreamId": "0", "CanSeek": "0", "CanPause": "0"])
  }

  @Test func repeatAndShuffleAreThePlaylists() throws {
    try speaker.call(speaker.transport, "SetRepeat", ["Repeat": "1"])
    try speaker.call(speaker.transport, "SetShuffle", ["Shuffle": "1"])
    #expect(speaker.evented(speaker.playlist, "Repeat") == "1")
    #expect(speaker.evented(speaker.playlist, "Shuffle") == "1")
  }

  @Test func playAsPlaylist() throws {
    let ids = try speaker.add("a", "b", "c")
    #expect(try playAs("playlist", "id=\(ids[1])") == nil)
    #expect(speaker.evented(speaker.playlist, "Id") == String(ids[1]))
    #expect(speaker.state(speaker.transport) == "Buffering")
    #expect(try playAs("playlist", " index = 2 ") == nil)
    #expect(speaker.evented(speaker.playlist, "Id") == String(ids[2]))
    #expect(try playAs("playlist", "") == nil)
    #expect(
      try playAs("playlist", "track={\"uri\":\"http:\\/\\/192.0.2.1\\/d\",\"metadata\":\"<m>\"}") == nil)
    #expect(speaker.evented(speaker.playlist, "Id") == "4")
    #expect(
      try speaker.call(speaker.playlist, "Read", ["Id": "4"]) == [
        "Uri": "http://192.0.2.1/d", "Metadata": "<m>",
      ])
  }

  @Test func playAsOthers() throws {
    let ids = try speaker.setPresets()
    #expect(try playAs("radio", "id=\(ids[1])") == nil)
    #expect(speaker.state(speaker.radio) == "Buffering")
    #expect(speaker.evented(speaker.radio, "Id") == String(ids[1]))
    try speaker.setURI()
    #expect(try playAs("upnpav", "") == nil)
    #expect(try speaker.transportState == "TRANSITIONING")
  }

  @Test(arguments: [
    ("pins", ""), ("", ""), ("Playlist", ""), ("playlist", "id=9"), ("playlist", "index=9"),
    ("playlist", "id=x"), ("playlist", "id"), ("playlist", "{\"method\":\"insert\"}"),
    ("playlist", "track={}"),
    ("playlist", "track=[]"), ("radio", "id=9"), ("radio", "index=0"), ("upnpav", "id=1"),
  ])
  func playAsRefuses(_ mode: String, _ command: String) throws {
    try speaker.add("a")
    #expect(try playAs(mode, command) == 801)
  }

  @Test func playAsWakes() throws {
    try speaker.add("a")
    try speaker.call(speaker.product, "SetStandby", ["Value": "1"])
    #expect(try playAs("playlist", "index=0") == nil)
    #expect(speaker.evented(speaker.product, "Standby") == "0")
  }
}
