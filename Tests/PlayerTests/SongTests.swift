import Testing

@testable import Player

@Suite struct SongTests {
  private func song(_ title: String?, artist: String? = nil, station: String? = nil) -> StreamTags? {
    StreamTags(title: title, artist: artist, station: station).song
  }

  @Test(arguments: [
    ("Artist - Title", "Artist", "Title"), ("  Artist  -  Title ", "Artist", "Title"),
    ("Jay-Z - 99 Problems", "Jay-Z", "99 Problems"), ("Ärzte - Zu spät", "Ärzte", "Zu spät"),
  ])
  func oneDashParts(line: String, artist: String, title: String) {
    #expect(song(line) == StreamTags(title: title, artist: artist))
  }

  @Test(arguments: [
    "Title", "A - B - C", "Artist-Title", "Artist -Title", "Artist- Title", "- Title", "Artist -", "A - - B",
    "Artist – Title",
  ])
  func whatIsAmbiguousStaysWhole(line: String) {
    #expect(song(line, station: "Radio") == StreamTags(title: line, station: "Radio"))
  }

  @Test func whatIsToldApartAlreadyStays() {
    #expect(song("A - B", artist: "C", station: "Radio") == StreamTags(title: "A - B", artist: "C"))
  }

  @Test func anArtistAloneIsShown() {
    #expect(song(nil, artist: "C") == StreamTags(title: "C", artist: "C"))
    #expect(song(" ", artist: "C")?.title == "C")
  }

  @Test(arguments: [nil, "", "  "])
  func nothingIsNothing(title: String?) {
    #expect(song(title, artist: "", station: "Radio") == nil)
  }
}
