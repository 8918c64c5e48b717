import DIDLLite
import Player
import SeededRandom
import Testing

@testable import Kept

@Suite struct PlaylistTextTests {
  private func text(_ format: PlaylistText.Format, _ media: [Media], name: String = "Evening") -> String {
    let text = PlaylistText(format, name: name)
    return text.head + media.map { text.track(PlaylistDocument.Entry($0)) }.joined() + text.tail
  }

  private func imported(_ text: String, most: Int = 5000) throws -> ImportedList {
    try ImportedList(text, most: most) { URIPolicy().allows($0) }
  }

  /// What must not be lost.
  private struct Facts: Equatable {
    var uri: String
    var title: String?
    var artist: String?
    var album: String?
    var art: String?
    var duration: Duration?

    init(_ media: Media) {
      let sent = DIDL.items(media.metadata).first
      (uri, title, artist, album) = (media.uri, sent?.title, sent?.artist, sent?.album)
      (art, duration) = (sent?.albumArtURI, media.durationHint)
    }
  }

  @Test func m3u8() {
    let media = Media(
      uri: "http://192.0.2.1/a.flac",
      metadata: DIDLWriter.document(title: "Song", artist: "Singer", album: "Album", uri: nil),
      durationHint: .seconds(205))
    #expect(
      text(.m3u8, [media, Media(uri: "http://192.0.2.1/b%20c.mp3", durationHint: .milliseconds(1500))])
        == """
        #EXTM3U
        #PLAYLIST:Evening
        #EXTINF:205,Singer - Song
        #EXTART:Singer
        #EXTALB:Album
        http://192.0.2.1/a.flac
        #EXTINF:1.500,b c.mp3
        http://192.0.2.1/b%20c.mp3

        """)
  }

  @Test func xspf() {
    let media = Media(
      uri: "http://192.0.2.1/a?b&c",
      metadata: DIDLWriter.document(title: "<Song>", artist: nil, album: nil, uri: nil),
      durationHint: .seconds(2))
    #expect(
      text(.xspf, [media], name: "A & B")
        == """
        <?xml version="1.0" encoding="UTF-8"?>
        <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>A &amp; B</title><trackList>
        <track><location>http://192.0.2.1/a?b&amp;c</location><title>&lt;Song&gt;</title><duration>2000</duration></track>
        </trackList></playlist>

        """)
  }

  private static let texts = [
    "Song", "A - B", "Comma, \"quoted\" text", "Ümläut 日本語 \u{1F3B5}", "<b>&amp;</b>", "#EXTM3U", "]]>",
    "a  b",
    "http://192.0.2.1/", "'", "\u{5D0}\u{5D1}",
  ]

  @Test(arguments: PlaylistText.Format.allCases, 0..<40 as Range<UInt64>)
  func whatIsWrittenIsReadAgain(format: PlaylistText.Format, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let media = (0..<Int.random(in: 1...30, using: &random)).map { number in
      func some() -> String? {
        Bool.random(using: &random) ? Self.texts.randomElement(using: &random) : nil
      }
      let title = Self.texts.randomElement(using: &random) ?? "Song"
      let metadata = DIDLWriter.document(
        title: title, artist: some(), album: some(), uri: nil,
        albumArtURI: Bool.random(using: &random) ? "http://192.0.2.1/art?x=\(number)&y" : nil)
      let lengths: [Duration?] = [
        nil, .seconds(3), .milliseconds(1001), .milliseconds(61_007), .seconds(40_000),
      ]
      return Media(
        uri: "http://192.0.2.1:8200/MediaItems/\(number).flac?a=b&c=d e", metadata: metadata,
        durationHint: lengths.randomElement(using: &random) ?? nil)
    }
    let written = text(format, media)
    let list = try imported(written)
    #expect(list.tracks.map(Facts.init) == media.map(Facts.init))
    #expect(list.refused == 0)
    // In parts as well, each of which is a list by itself.
    let parts = try #require(ListParts.parts(written, most: 900))
    #expect(parts.allSatisfy { $0.utf8.count <= 900 })
    #expect(try parts.flatMap { try imported($0).tracks } == list.tracks)
  }

  @Test func whatThePlayerRefusesIsLeftOutAndNothingElse() throws {
    let list = try imported(
      """
      \u{feff}#EXTM3U
      #EXTINF:abc,No length
      http://192.0.2.1/one
      ../Music/two.mp3
      file:///home/me/three.mp3
      javascript:alert(1)
      #EXTIMG:file:///etc/passwd
      https://192.0.2.1/four
      """)
    #expect(list.tracks.map(\.uri) == ["http://192.0.2.1/one", "https://192.0.2.1/four"])
    #expect(list.refused == 3)
    #expect(list.tracks.map { Facts($0).art } == [nil, nil])
  }

  @Test func otherFormatsAreTakenToo() throws {
    #expect(try imported("[playlist]\nFile1=http://192.0.2.1/a\nTitle1=A").tracks.count == 1)
    #expect(
      try imported("<asx><entry><title>A</title><ref href=\"http://192.0.2.1/a\"/></entry></asx>").tracks
        .count
        == 1)
    // A list of which nothing can be played is still a list.
    #expect(try imported("#EXTM3U\na.mp3").refused == 1)
  }

  @Test func whatIsNoListSaysSo() {
    #expect(throws: ImportedList.Failure.notAList) { try imported("Dear friend,\nno music here") }
    #expect(throws: ImportedList.Failure.notAList) { try imported("<html><body>404</body></html>") }
    #expect(throws: ImportedList.Failure.notAList) { try imported("") }
    #expect(throws: ImportedList.Failure.stream) {
      try imported("#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:9,\na.ts")
    }
    #expect(throws: ImportedList.Failure.tooLong) {
      try imported(String(repeating: "x", count: ImportedList.longest + 1))
    }
  }

  @Test func noMoreThanWanted() throws {
    let many = "#EXTM3U\n" + String(repeating: "http://192.0.2.1/a\n", count: 6000)
    #expect(try imported(many).tracks.count == 5000)
    let xspf = text(.xspf, (0..<50).map { Media(uri: "http://192.0.2.1/\($0)") })
    #expect(try imported(xspf, most: 7).tracks.count == 7)
  }

  /// Names of tracks come from strangers, and mustn't become lines of their own.
  @Test(arguments: ["\n", "\r\n", "\u{2028}", "\u{85}", "\u{b}"]) func linesStayLines(end: String) throws {
    let media = Media(
      uri: "http://192.0.2.1/a",
      metadata: DIDLWriter.document(
        title: "x\(end)http://192.0.2.9/evil", artist: "y\(end)#EXTM3U", album: "z\(end)file:///etc", uri: nil
      ))
    for format in PlaylistText.Format.allCases {
      #expect(
        try imported(text(format, [media], name: "n\(end)http://192.0.2.9/")).tracks.map(\.uri) == [media.uri]
      )
    }
    // Nor addresses, which can't have control characters.
    let odd = Media(uri: "http://192.0.2.1/a\u{2028}b")
    #expect(try imported(text(.m3u8, [odd])).tracks.map(\.uri) == ["http://192.0.2.1/a%E2%80%A8b"])
  }

  @Test func partsOfAPLSAreLists() throws {
    let entries = (1...30).map {
      "File\($0)=http://192.0.2.1/\($0)\r\nTitle\($0)=Song \($0)\r\nLength\($0)=9\r\n"
    }
    let text = "[playlist]\r\nNumberOfEntries=30\r\n" + entries.joined() + "Version=2\r\n"
    let parts = try #require(ListParts.parts(text, most: 200))
    #expect(parts.count > 5 && parts.allSatisfy { $0.utf8.count <= 200 })
    let tracks = try parts.flatMap { try imported($0).tracks }
    let whole = try imported(text).tracks
    #expect(tracks == whole && tracks.count == 30)
  }

  @Test func oneTrackThatIsTooLongHasNoParts() {
    #expect(ListParts.parts("http://192.0.2.1/" + String(repeating: "x", count: 200), most: 100) == nil)
    #expect(ListParts.parts("short", most: 100) == ["short"])
    #expect(ListParts.parts("<playlist>" + String(repeating: "x", count: 200), most: 100) == nil)
  }
}
