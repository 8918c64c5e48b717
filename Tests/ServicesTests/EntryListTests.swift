import Testing
import UPnP
import XML

@testable import Services

@Suite struct EntryListTests {
  private func list(
    _ name: StaticString, _ entries: [(id: UInt32, uri: String?, metadata: String)], bytesRead: Int = 0
  ) -> EntryList {
    EntryList(name, ids: entries.map(\.id)) { id in
      entries.first { $0.id == id }.map {
        EntryList.Entry(uri: $0.uri, metadata: $0.metadata, bytesRead: bytesRead)
      }
    }
  }

  private func text(_ name: StaticString, _ entries: [(id: UInt32, uri: String?, metadata: String)]) -> String
  {
    ActionOutput.pieces(list(name, entries)).text
  }

  @Test func knownText() {
    #expect(
      text(
        "TrackList",
        [
          (1, "http://192.0.2.1/?a=1&b=2", "<DIDL-Lite>\"é\"</DIDL-Lite>"), (4_294_967_295, nil, ""),
        ])
        == "<TrackList><Entry><Id>1</Id><Uri>http://192.0.2.1/?a=1&amp;b=2</Uri>"
        + "<Metadata>&lt;DIDL-Lite&gt;\"é\"&lt;/DIDL-Lite&gt;</Metadata></Entry>"
        + "<Entry><Id>4294967295</Id><Metadata></Metadata></Entry></TrackList>")
  }

  @Test func anEmptyList() {
    #expect(text("ChannelList", []) == "<ChannelList></ChannelList>")
    #expect(
      ActionOutput.pieces(EntryList("ChannelList", ids: [1, 2]) { _ in nil }).text
        == "<ChannelList></ChannelList>")
  }

  @Test func whatIsNoXMLBecomesXML() throws {
    let root = try #require(LenientXML.parse(text("TrackList", [(1, "a\u{0}b\rc\u{FFFF}", "]]>")])))
    #expect(root.children.first?.text(of: "Uri") == "a\u{FFFD}b\rc\u{FFFD}")
    #expect(root.children.first?.text(of: "Metadata") == "]]>")
  }

  @Test func theLengthIsBounded() {
    let metadata = String(repeating: "<", count: 256 * 1024)
    let length = text("TrackList", (1...40).map { ($0, "", metadata) }).utf8.count
    #expect(length > EntryList.maximumLength)
    #expect(length < EntryList.maximumLength + 4 * metadata.utf8.count + 200)
  }

  /// A little text may be made of much.
  @Test func noPieceTakesLong() {
    let tracks = (1...8).map { (id: UInt32($0), uri: nil as String?, metadata: "") }
    var list = list("TrackList", tracks, bytesRead: EntryList.usualLength / 2)
    var pieces = 1
    var xml = XMLText(capacity: 0)
    while list.write(to: &xml) { pieces += 1 }
    #expect(pieces == 4)
    #expect(xml.text == text("TrackList", tracks))
  }

  /// Whoever asks for much must not hold up the others.
  @Test func noPieceIsLong() {
    let metadata = String(repeating: "<", count: 4096)
    let tracks = (1...300).map { (id: UInt32($0), uri: "http://192.0.2.1/" as String?, metadata: metadata) }
    var list = list("TrackList", tracks)
    var whole = ""
    var pieces = 0
    var hasMore = true
    while hasMore {
      var piece = XMLText(capacity: 0)
      hasMore = list.write(to: &piece)
      #expect(piece.count <= EntryList.usualLength + 4 * metadata.utf8.count + 100)
      whole += piece.text
      pieces += 1
    }
    #expect(pieces >= whole.utf8.count / (EntryList.usualLength + 4 * metadata.utf8.count + 100))
    #expect(pieces > 10)
    #expect(whole == text("TrackList", tracks))
  }
}
