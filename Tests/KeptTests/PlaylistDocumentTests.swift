import DIDLLite
import Player
import Testing

@testable import Kept

@Suite struct PlaylistDocumentTests {
  private func read(_ text: String, from base: String = "http://192.0.2.1/music/list")
    -> PlaylistDocument.Content
  {
    PlaylistDocument.read(Array(text.utf8), from: base)
  }

  private func tracks(_ content: PlaylistDocument.Content) -> [Media] {
    guard case .tracks(let media) = content else { return [] }
    return media
  }

  @Test func extendedM3U() {
    let media = tracks(
      read("#EXTM3U\r\n#EXTINF:205,Singer - Song\r\none.flac\r\n\r\n#comment\r\nhttp://192.0.2.2/two.mp3\r\n")
    )
    #expect(media.map(\.uri) == ["http://192.0.2.1/music/one.flac", "http://192.0.2.2/two.mp3"])
    #expect(media.first?.durationHint == .seconds(205))
    #expect(DIDL.items(media.first?.metadata ?? "").first?.title == "Singer - Song")
    #expect(DIDL.items(media.last?.metadata ?? "").first?.title == "two.mp3")
  }

  @Test func entriesOfPLSAreOrderedByNumber() {
    let media = tracks(
      read(
        "[playlist]\nFile2=b.mp3\nTitle2=B\nFile1=http://192.0.2.2/a.mp3\nLength1=-1\nNumberOfEntries=2\nVersion=2"
      ))
    #expect(media.map(\.uri) == ["http://192.0.2.2/a.mp3", "http://192.0.2.1/music/b.mp3"])
    #expect(media.first?.durationHint == nil)
  }

  @Test func didl() {
    let media = tracks(
      read(
        """
        <DIDL-Lite><item><dc:title>A</dc:title><res protocolInfo="http-get:*:audio/flac:*" duration="0:01:00">/a</res>\
        </item><item><dc:title>no resource</dc:title></item><item><res protocolInfo="*:*:*:*">/b</res></item></DIDL-Lite>
        """))
    #expect(media.map(\.uri) == ["http://192.0.2.1/a", "http://192.0.2.1/b"])
    #expect(media.map(\.contentFormat) == ["audio/flac", nil])
    #expect(media.first?.durationHint == .seconds(60))
  }

  @Test func namesOfFilesStandAsTheyAre() {
    let list =
      "My Song.mp3\nDéjà vu [live].mp3\n100% \"pure\".mp3\nkept%20as.mp3\nhttp://192.0.2.2/a b.mp3?x=y z\n"
    let names = [
      "http://192.0.2.1/my%20music/My%20Song.mp3",
      "http://192.0.2.1/my%20music/D%C3%A9j%C3%A0%20vu%20%5Blive%5D.mp3",
      "http://192.0.2.1/my%20music/100%25%20%22pure%22.mp3", "http://192.0.2.1/my%20music/kept%20as.mp3",
      "http://192.0.2.2/a%20b.mp3?x=y%20z",
    ]
    #expect(tracks(read("#EXTM3U\n" + list, from: "http://192.0.2.1/my music/list")).map(\.uri) == names)
    #expect(tracks(read(list, from: "http://192.0.2.1/my music/list.m3u")).map(\.uri) == names)
    #expect(
      tracks(read("#EXTM3U\n../A b.mp3", from: "file:///srv/my music/l/x.m3u")).map(\.uri)
        == ["file:///srv/my%20music/A%20b.mp3"])
    #expect(read("There is nothing here\nto be played", from: "http://192.0.2.1/get") == .unknown)
    #expect(read("#EXTM3U\nA b\u{0}c.mp3") == .unknown)
  }

  @Test func hlsIsOneStream() {
    #expect(read("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9.0,\nseg0.aac") == .stream)
  }

  @Test func whatIsNoListIsUnknown() {
    #expect(read("<html><body>404</body></html>") == .unknown)
    #expect(read("") == .unknown)
    #expect(read("[playlist]\nVersion=2") == .unknown)
  }

  @Test func listsFromTheNetworkNameNoLocalFiles() {
    #expect(tracks(read("file:///etc/passwd\n/x.mp3\nftp://h/y")).map(\.uri) == ["http://192.0.2.1/x.mp3"])
    #expect(tracks(read("b.mp3", from: "file:///music/a.m3u")).map(\.uri) == ["file:///music/b.mp3"])
  }

  @Test func entriesAreBounded() {
    let long = (0..<3000).map { "t\($0).mp3" }.joined(separator: "\n")
    #expect(tracks(read(long)).count == PlaylistDocument.maximumEntries)
    let numbered = "[playlist]\n" + (0..<3000).map { "File\($0)=t\($0).mp3" }.joined(separator: "\n")
    #expect(tracks(read(numbered)).count == PlaylistDocument.maximumEntries)
  }

  @Test func latin1IsReadWhereUTF8Fails() {
    let bytes = Array("#EXTINF:1,Caf".utf8) + [0xe9] + Array("\na.mp3".utf8)
    let media = tracks(PlaylistDocument.read(bytes, from: "http://192.0.2.1/l.m3u"))
    #expect(DIDL.items(media.first?.metadata ?? "").first?.title == "Café")
  }
}
