import DIDLLite
import Pins
import Player
import Testing

@testable import Services

@Suite struct ZoneCoverTests {
  private let zone = ZoneSpeaker()

  private func cover(_ uri: String) -> ZoneCover? { ZoneCover(of: uri, in: zone.state) }

  private func metadata(_ art: String?) -> String {
    DIDLWriter.document(title: "T", artist: "A", album: "B", uri: nil, albumArtURI: art)
  }

  @Test func onlyWhatTheZoneNamesHasACover() async throws {
    let (track, art) = ("http://192.0.2.1/a.flac", "http://192.0.2.1/a.png")
    #expect(cover(track) == nil)
    try zone.speaker.player.change(
      .playlist(
        .insertEach(after: 0, [Media(uri: track, metadata: metadata(art)), Media(uri: "http://192.0.2.1/b")]))
    )
    #expect(cover(track) == .address(art))
    #expect(cover("http://192.0.2.1/b") == nil)
    for uri in [art, "file:///etc/passwd", "", "x-rincon-queue:x#0", "nonsense", "http://192.0.2.1/A.flac"] {
      #expect(cover(uri) == nil, "\(uri)")
    }
    try zone.speaker.player.change(.playlist(.deleteAll))
    #expect(cover(track) == nil)
  }

  @Test func stationsAndFavouritesToo() async throws {
    try await zone.setURI("x-rincon-mp3radio://192.0.2.1/s", metadata("http://192.0.2.1/s.png"))
    #expect(cover("x-rincon-mp3radio://192.0.2.1/s") == .address("http://192.0.2.1/s.png"))
    let pin = try Pin(.stream("http://192.0.2.1/f"), title: "F", picture: "http://192.0.2.1/f.png")
    try zone.speaker.player.change(.pins(.set(pin, index: 0)))
    #expect(cover("x-rincon-mp3radio://http://192.0.2.1/f") == .address("http://192.0.2.1/f.png"))
  }

  /// A queue of the same address over and over isn't read over and over.
  @Test func fewTracksAreRead() throws {
    let uri = "http://192.0.2.1/a"
    let tracks = (0..<20).map {
      Media(uri: uri, metadata: metadata($0 < 19 ? nil : "http://192.0.2.1/x.png"))
    }
    try zone.speaker.player.change(.playlist(.insertEach(after: 0, tracks)))
    #expect(cover(uri) == nil)
  }
}
