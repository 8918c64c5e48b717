import DIDLLite
import Kept
import Player
import Testing

@testable import Services

@Suite struct StationListTests {
  private func stations(_ text: String, from base: String = "http://192.0.2.1/lists/my")
    -> [PlaylistDocument.Entry]
  {
    PlaylistDocument.stations(Array(text.utf8), from: base)
  }

  @Test func m3uWithLogos() {
    let entries = stations(
      """
      #EXTM3U
      #EXTINF:-1 tvg-id="x" tvg-logo="/logo,1.png" group-title="A, B",Bird, live
      http://192.0.2.2/bird
      #EXTINF:-1,Plain
      #EXTIMG: http://192.0.2.2/plain.png
      http://192.0.2.2/plain
      """)
    #expect(entries.map(\.title) == ["Bird, live", "Plain"])
    #expect(entries.map(\.imageURI) == ["http://192.0.2.1/logo,1.png", "http://192.0.2.2/plain.png"])
    #expect(entries.map(\.duration) == [nil, nil])
  }

  @Test func xspf() {
    let entries = stations(
      """
      <?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><title>All</title><trackList>
      <track><location>one.mp3</location><location>other.mp3</location><title>One</title><creator>Singer</creator>
      <album>Woods</album><image>cover.png</image><duration>61500</duration></track>
      <track><title>nowhere</title></track><track><location>http://192.0.2.2/two</location></track>
      </trackList></playlist>
      """)
    #expect(entries.map(\.uri) == ["http://192.0.2.1/lists/one.mp3", "http://192.0.2.2/two"])
    #expect(entries.first?.title == "One")
    #expect(entries.first?.artist == "Singer")
    #expect(entries.first?.album == "Woods")
    #expect(entries.first?.imageURI == "http://192.0.2.1/lists/cover.png")
    #expect(entries.first?.duration == .milliseconds(61500))
  }

  @Test func asxInAnyCaseAndUnclosed() {
    let entries = stations(
      """
      <ASX VERSION="3.0"><Title>All</Title>
      <Entry><Title>Bird</Title><REF HREF="http://192.0.2.2/bird"/></Entry>
      <entry><ref href="two"><title>Two</title></entry>
      <entry><ref href="three" /></entry><entryref href="http://192.0.2.2/more.asx" />
      </ASX>
      """)
    #expect(
      entries.map(\.uri) == [
        "http://192.0.2.2/bird", "http://192.0.2.1/lists/two", "http://192.0.2.1/lists/three",
        "http://192.0.2.2/more.asx",
      ])
    #expect(entries.map(\.title) == ["Bird", "Two", nil, nil])
  }

  @Test func aStationBecomesAPreset() throws {
    let entry = try #require(stations("#EXTM3U\n#EXTINF:-1 logo=\"/l.png\",A & B\nhttp://192.0.2.2/a").first)
    #expect(entry.station.uri == "http://192.0.2.2/a")
    let item = try #require(DIDL.items(entry.station.metadata).first)
    #expect(item.title == "A & B")
    #expect(item.albumArtURI == "http://192.0.2.1/l.png")
    #expect(item.upnpClass == "object.item.audioItem.audioBroadcast")
    #expect(item.resources.map(\.uri) == ["http://192.0.2.2/a"])
  }

  /// Control points want little text; whatever the list says, without an address nobody could play it.
  @Test func aPresetIsShort() throws {
    let long = String(repeating: "e\u{301}&", count: 9000)
    let image = "http://192.0.2.2/" + String(repeating: "&a=", count: 400)
    for (name, image) in [(long, nil), ("A", image), (long, image), (nil, image), ("", nil)]
      as [(String?, String?)]
    {
      let media = Media(station: "http://192.0.2.2/a?b&c", name: name, image: image)
      #expect(media.metadata.utf8.count <= 2048)
      let item = try #require(DIDL.items(media.metadata).first)
      #expect(item.resources.map(\.uri) == ["http://192.0.2.2/a?b&c"])
      #expect(item.title?.isEmpty == false)
    }
    let logo = Media(station: "http://192.0.2.2/a", name: "A", image: "http://192.0.2.2/l.png")
    #expect(DIDL.items(logo.metadata).first?.albumArtURI == "http://192.0.2.2/l.png")
    let far = "http://192.0.2.2/" + String(repeating: "a", count: 3000)
    #expect(
      DIDL.items(Media(station: far, name: "A", image: image).metadata).first?.resources.map(\.uri) == [far])
  }

  @Test func asxAsLines() {
    let entries = stations("[Reference]\r\nRef2=http://192.0.2.2/b\r\nRef1=http://192.0.2.2/a\r\n")
    #expect(entries.map(\.uri) == ["http://192.0.2.2/a", "http://192.0.2.2/b"])
  }

  @Test func opmlWithFolders() {
    let entries = stations(
      """
      <opml version="1"><head><title>T</title></head><body>
      <outline text="Local"><outline type="audio" text="Bird" URL="http://192.0.2.2/bird" image="bird.png"/>
      <outline type="link" text="More" URL="http://192.0.2.2/more.opml"/></outline>
      <outline text="Feed" type="rss" xmlUrl="http://192.0.2.2/feed"/>
      <outline title="Bare" url="http://192.0.2.2/bare"/></body></opml>
      """)
    #expect(entries.map(\.uri) == ["http://192.0.2.2/bird", "http://192.0.2.2/bare"])
    #expect(entries.map(\.title) == ["Bird", "Bare"])
    #expect(entries.first?.imageURI == "http://192.0.2.1/lists/bird.png")
  }

  /// Addresses of stations are full of ampersands.
  @Test func referencesInAttributesAreReplaced() {
    let opml = stations(
      """
      <opml><body><outline text="A &amp; B &lt;1&gt; &quot;x&quot; &#233;"
      URL="http://192.0.2.2/t?a=1&amp;b=2&#38;c=3"/>
      <outline text="&amp;#38; &amp;amp;" URL="http://192.0.2.2/raw?a=1&b=2"/></body></opml>
      """)
    #expect(opml.map(\.uri) == ["http://192.0.2.2/t?a=1&b=2&c=3", "http://192.0.2.2/raw?a=1&b=2"])
    #expect(opml.map(\.title) == ["A & B <1> \"x\" \u{e9}", "&#38; &amp;"])
    let asx = stations("<asx><entry><ref href=\"http://192.0.2.2/t?a=1&amp;b=2\"/></entry></asx>")
    #expect(asx.map(\.uri) == ["http://192.0.2.2/t?a=1&b=2"])
  }

  @Test func anHLSPlaylistIsAStationItself() {
    let entries = stations(
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8", from: "http://192.0.2.1/a.m3u8")
    #expect(entries == [PlaylistDocument.Entry(uri: "http://192.0.2.1/a.m3u8")])
  }

  @Test func whatIsNoListHasNoStations() {
    #expect(stations("<html><body><a href=\"x\">x</a></body></html>").isEmpty)
    #expect(stations("").isEmpty)
  }

  @Test(arguments: ["<opml><body>", "<asx><entry>", "<playlist><trackList>"])
  func depthIsBounded(_ head: String) {
    let deep = head + String(repeating: "<outline>", count: 100) + "<outline url=\"http://192.0.2.2/a\"/>"
    #expect(stations(deep).isEmpty)
  }

  @Test func sizeAndCountAreBounded() {
    let line = "http://192.0.2.2/" + String(repeating: "a", count: 1000) + "\n"
    #expect(stations(String(repeating: line, count: 900)).count == 900)
    #expect(stations(String(repeating: line, count: 1100)).isEmpty)
    let outlines = String(repeating: "<outline url=\"http://192.0.2.2/a\"/>", count: 3000)
    #expect(stations("<opml><body>\(outlines)</body></opml>").count == PlaylistDocument.maximumEntries)
  }

  @Test func localPlacesAreForLocalLists() {
    let text =
      "<playlist><trackList><track><location>file:///etc/passwd</location></track></trackList></playlist>"
    #expect(stations(text).isEmpty)
    #expect(stations(text, from: "file:///music/l.xspf").map(\.uri) == ["file:///etc/passwd"])
  }
}
