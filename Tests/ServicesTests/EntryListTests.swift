import Testing

@testable import Services

@Suite struct EntryListTests {
  @Test func knownText() {
    var list = EntryList("TrackList", capacity: 2)
    list.add(id: 1, uri: "http://192.0.2.1/?a=1&b=2", metadata: "<DIDL-Lite>\"é\"</DIDL-Lite>")
    list.add(id: 4_294_967_295, uri: nil, metadata: "")
    let text = list.finish()
    #expect(
      text
        == "<TrackList><Entry><Id>1</Id><Uri>http://192.0.2.1/?a=1&amp;b=2</Uri>"
        + "<Metadata>&lt;DIDL-Lite&gt;\"é\"&lt;/DIDL-Lite&gt;</Metadata></Entry>"
        + "<Entry><Id>4294967295</Id><Metadata></Metadata></Entry></TrackList>")
  }

  @Test func anEmptyList() {
    var list = EntryList("ChannelList", capacity: 0)
    let text = list.finish()
    #expect(text == "<ChannelList></ChannelList>")
  }

  @Test func whatIsNoXMLBecomesXML() throws {
    var list = EntryList("TrackList", capacity: 1)
    list.add(id: 1, uri: "a\u{0}b\rc\u{FFFF}", metadata: "]]>")
    let text = list.finish()
    let root = try #require(LenientXML.parse(text))
    #expect(root.children.first?.text(of: "Uri") == "a\u{FFFD}b\rc\u{FFFD}")
    #expect(root.children.first?.text(of: "Metadata") == "]]>")
  }

  @Test func theLengthIsBounded() {
    var list = EntryList("TrackList", capacity: 100_000)
    let metadata = String(repeating: "<", count: 256 * 1024)
    for id in 1...40 { list.add(id: UInt32(id), uri: "", metadata: metadata) }
    let length = list.finish().utf8.count
    #expect(length > EntryList.maximumLength)
    #expect(length < EntryList.maximumLength + 4 * metadata.utf8.count + 200)
  }
}
