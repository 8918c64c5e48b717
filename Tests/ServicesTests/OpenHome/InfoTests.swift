import DIDLLite
import Player
import Testing

@testable import Services

@Suite struct InfoTests {
  private let speaker = Speaker()

  private func counters(_ speaker: Speaker) throws -> [Int] {
    let answer = try speaker.call(speaker.info, "Counters")
    return ["TrackCount", "DetailsCount", "MetatextCount"].compactMap { Int(answer[$0] ?? "") }
  }

  private static let flac = StreamDetails(
    codecName: "FLAC", isLossless: true, bitRate: 900_000, bitDepth: 16, sampleRate: 44_100, channels: 2)

  @Test func aFreshPlayerShowsNothing() throws {
    #expect(try speaker.call(speaker.info, "Track") == ["Uri": "", "Metadata": ""])
    #expect(
      try speaker.call(speaker.info, "Details") == [
        "Duration": "0", "BitRate": "0", "BitDepth": "0", "SampleRate": "0", "Lossless": "0", "CodecName": "",
      ])
    #expect(try speaker.call(speaker.info, "Metatext") == ["Value": ""])
  }

  @Test func detailsAreTheDecodersOwn() throws {
    try speaker.add("a")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    let before = try counters(speaker)
    speaker.output { .details($0, Self.flac) }
    speaker.output { .duration($0, .milliseconds(61_900)) }
    #expect(
      try speaker.call(speaker.info, "Details") == [
        "Duration": "61", "BitRate": "900000", "BitDepth": "16", "SampleRate": "44100", "Lossless": "1",
        "CodecName": "FLAC",
      ])
    let after = try counters(speaker)
    #expect(after[0] == before[0])
    #expect(after[1] > before[1])
    #expect(after[2] == before[2])
    speaker.output { .details($0, Self.flac) }
    #expect(try counters(speaker) == after)
  }

  @Test func anotherTrackCounts() throws {
    try speaker.add("a", "b")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    speaker.output { .details($0, Self.flac) }
    let before = try counters(speaker)
    try speaker.call(speaker.playlist, "Next")
    speaker.hear()
    let after = try counters(speaker)
    #expect(after[0] > before[0])
    #expect(after[1] == 0)
    #expect(speaker.evented(speaker.info, "Uri") == "http://192.0.2.1/b.flac")
    #expect(speaker.evented(speaker.info, "CodecName") == "")
    #expect(speaker.evented(speaker.info, "Metadata")?.contains("<dc:title>b</dc:title>") == true)
  }

  @Test func theSongOfAStationIsMetatext() throws {
    let ids = try speaker.setPresets()
    try speaker.call(speaker.radio, "SetId", ["Value": String(ids[1]), "Uri": ""])
    try speaker.call(speaker.radio, "Play")
    speaker.hear()
    let station = try speaker.call(speaker.info, "Track")
    let before = try counters(speaker)
    speaker.output { .tags($0, StreamTags(title: "Song & Dance", station: "Radio Frog")) }
    let text = try #require(speaker.evented(speaker.info, "Metatext"))
    #expect(text.hasPrefix("<DIDL-Lite"))
    #expect(!text.contains("<res"))
    let item = try #require(DIDL.items(text).first)
    #expect(item.title == "Song & Dance")
    #expect(item.artist == "Radio Frog")
    #expect(try counters(speaker) == [before[0], before[1], before[2] + 1])
    speaker.output { .tags($0, StreamTags(title: "Song & Dance", station: "Radio Frog")) }
    #expect(try counters(speaker) == [before[0], before[1], before[2] + 1])
    #expect(try speaker.call(speaker.info, "Track") == station)
    #expect(DIDL.items(station["Metadata"] ?? "").first?.title == "Frog & Toad")
  }

  /// ICY has one line for both.
  @Test(arguments: [
    ("Artist - Song", "Song", "Artist"), ("A - B - C", "A - B - C", "Radio Frog"),
    ("Song", "Song", "Radio Frog"),
    ("Well-known - Half-life", "Half-life", "Well-known"), (" - Song", "- Song", "Radio Frog"),
  ])
  func artistAndTitleOfALineAreToldApart(_ line: String, _ title: String, _ artist: String) throws {
    try speaker.setChannel()
    try speaker.call(speaker.radio, "Play")
    speaker.hear()
    speaker.output { .tags($0, StreamTags(title: line, station: "Radio Frog")) }
    let item = try #require(DIDL.items(speaker.evented(speaker.info, "Metatext") ?? "").first)
    #expect(item.title == title)
    #expect(item.artist == artist)
  }

  /// The counter stands for the text that is told.
  @Test func whatIsNotToldDoesNotCount() throws {
    try speaker.setChannel()
    try speaker.call(speaker.radio, "Play")
    speaker.hear()
    speaker.output { .tags($0, StreamTags(title: "Artist - Song", station: "Radio")) }
    let before = try counters(speaker)
    let text = speaker.evented(speaker.info, "Metatext")
    speaker.output { .tags($0, StreamTags(title: "Artist - Song ", station: "Radio two")) }
    speaker.output { .tags($0, StreamTags(title: "Song", artist: "Artist")) }
    #expect(speaker.evented(speaker.info, "Metatext") == text)
    #expect(try counters(speaker) == before)
  }

  /// Both devices show the same.
  @Test func theDurationIsTheMetadatasUntilTheDecoderKnows() throws {
    let metadata =
      "<DIDL-Lite><item><res protocolInfo=\"http-get:*:audio/flac:*\" duration=\"0:03:20\">"
      + "http://192.0.2.1/a.flac</res></item></DIDL-Lite>"
    try speaker.call(
      speaker.playlist, "Insert",
      ["AfterId": "0", "Uri": "http://192.0.2.1/a.flac", "Metadata": metadata])
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    #expect(try speaker.call(speaker.info, "Details")["Duration"] == "200")
    #expect(speaker.evented(speaker.time, "Duration") == "200")
    let before = try counters(speaker)[1]
    speaker.output { .duration($0, .milliseconds(200_900)) }
    #expect(try counters(speaker)[1] == before, "nothing else is shown")
    speaker.output { .duration($0, .seconds(9)) }
    #expect(try speaker.call(speaker.info, "Details")["Duration"] == "9")
    #expect(speaker.evented(speaker.time, "Duration") == "9")
    #expect(try counters(speaker)[1] == before + 1)
  }

  @Test func theSongCanStandInTheMetadata() throws {
    var configuration = OpenHomeConfiguration.example
    configuration.compatibility.currentSongInMetadata = true
    let speaker = Speaker(openHome: configuration)
    let ids = try speaker.setPresets()
    try speaker.call(speaker.radio, "SetId", ["Value": String(ids[1]), "Uri": ""])
    try speaker.call(speaker.radio, "Play")
    speaker.hear()
    func item() -> DIDL? { DIDL.items(speaker.evented(speaker.info, "Metadata") ?? "").first }
    #expect(item()?.title == "Frog & Toad")
    speaker.output { .tags($0, StreamTags(title: "Song")) }
    #expect(item()?.title == "Song")
    #expect(item()?.artist == "Frog & Toad")
    #expect(item()?.albumArtURI == "http://192.0.2.1/f.png")
    // The station's own service goes on showing the station.
    #expect(DIDL.items(speaker.evented(speaker.radio, "Metadata") ?? "").first?.title == "Frog & Toad")
  }
}
