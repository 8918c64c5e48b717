import Player
import Testing

@testable import Services

/// What AVTransport says while another source plays, and who takes over.
@Suite struct AVTransportOthersTests {
  private let speaker = Speaker()

  private func shown(_ action: String) throws -> [String: String] {
    try speaker.call(speaker.avTransport, action)
  }
  private func evented(_ name: String) -> String? { speaker.evented(speaker.avTransport, name) }

  private func playPlaylist() throws {
    try speaker.add("a", "b")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    speaker.output { .duration($0, .seconds(100)) }
  }

  @Test func answersAndEventsTellWhatThePlaylistPlays() throws {
    try playPlaylist()
    speaker.clock.advance(seconds: 7)
    let track = try speaker.call(speaker.info, "Track")
    let media = try shown("GetMediaInfo")
    let position = try shown("GetPositionInfo")
    #expect(try speaker.transportState == "PLAYING")
    #expect(media["CurrentURI"] == track["Uri"] && position["TrackURI"] == track["Uri"])
    #expect(
      media["CurrentURIMetaData"] == track["Metadata"] && position["TrackMetaData"] == track["Metadata"])
    #expect(media["NrTracks"] == "1" && position["Track"] == "1" && media["PlayMedium"] == "NETWORK")
    #expect(position["TrackDuration"] == "0:01:40" && media["MediaDuration"] == "0:01:40")
    #expect(position["RelTime"] == "0:00:07")
    #expect(try shown("GetCurrentTransportActions")["Actions"] == evented("CurrentTransportActions"))
    #expect(evented("TransportState") == "PLAYING")
    #expect(evented("AVTransportURI") == track["Uri"] && evented("CurrentTrackURI") == track["Uri"])
    #expect(evented("CurrentTrackDuration") == "0:01:40")
    #expect(
      try speaker.fault(
        speaker.avTransport, "SetNextAVTransportURI",
        ["NextURI": "http://192.0.2.1/n", "NextURIMetaData": ""]) == 701)
  }

  @Test func aPreparedCastIsShownStoppedUntilPlay() throws {
    try playPlaylist()
    try speaker.setURI("http://192.0.2.1/cast.flac")
    #expect(speaker.state(speaker.playlist) == "Playing")
    #expect(speaker.state(speaker.transport) == "Playing")
    #expect(speaker.evented(speaker.product, "SourceIndex") == "0")
    #expect(try speaker.transportState == "STOPPED")
    #expect(evented("TransportState") == "STOPPED")
    #expect(try shown("GetMediaInfo")["CurrentURI"] == "http://192.0.2.1/cast.flac")
    #expect(try shown("GetPositionInfo")["RelTime"] == "0:00:00")
    #expect(try shown("GetPositionInfo")["TrackDuration"] == "0:00:00")
    try speaker.play()
    #expect(speaker.state(speaker.playlist) == "Stopped")
    #expect(speaker.state(speaker.transport) == "Buffering")
    #expect(try speaker.transportState == "TRANSITIONING")
    #expect(speaker.evented(speaker.product, "SourceIndex") == "2")
    #expect(try speaker.call(speaker.info, "Track")["Uri"] == "http://192.0.2.1/cast.flac")
  }

  @Test func aStationShowsItsSong() throws {
    try speaker.setChannel()
    try speaker.call(speaker.radio, "Play")
    speaker.hear()
    speaker.output { .seekable($0, false) }
    speaker.output { .tags($0, StreamTags(title: "Nightingale")) }
    #expect(try speaker.transportState == "PLAYING")
    #expect(try shown("GetMediaInfo")["CurrentURI"] == "http://192.0.2.1/station")
    #expect(evented("CurrentTrackMetaData")?.contains("Nightingale") == true)
    #expect(try shown("GetCurrentTransportActions")["Actions"] == "Stop")
    #expect(try speaker.fault(speaker.avTransport, "Pause") == 701)
    try speaker.call(speaker.avTransport, "Stop")
    #expect(speaker.state(speaker.radio) == "Stopped")
  }
}
