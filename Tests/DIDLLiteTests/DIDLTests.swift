import DIDLLite
import Testing
import Text

@Suite struct DIDLTests {
  private let wellFormed = """
    <DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
    xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="1" parentID="0" restricted="1">\
    <dc:title>Vireo &amp; Friends</dc:title><dc:creator>Composer</dc:creator>\
    <upnp:artist role="AlbumArtist">Various</upnp:artist><upnp:artist>Singer</upnp:artist>\
    <upnp:album>Woods</upnp:album><upnp:class>object.item.audioItem.musicTrack</upnp:class>\
    <res protocolInfo="http-get:*:audio/L16;rate=44100;channels=2:DLNA.ORG_PN=LPCM" duration="0:03:25.500">\
    http://192.0.2.1/a?x=1&amp;y=2</res></item></DIDL-Lite>
    """

  @Test func readsWhatARendererNeeds() throws {
    let item = try #require(DIDL.items(wellFormed).first)
    #expect(item.title == "Vireo & Friends")
    #expect(item.artist == "Singer")
    #expect(item.album == "Woods")
    let resource = try #require(item.resource(for: "http://192.0.2.1/a?x=1&y=2"))
    #expect(resource.protocolInfo?.mimeType == "audio/L16;rate=44100;channels=2")
    #expect(resource.duration == .milliseconds(205_500))
  }

  @Test(arguments: [
    // Home Assistant's generator escapes neither title nor URI.
    "<DIDL-Lite><item><dc:title>A & B</dc:title><res protocolInfo=\"http-get:*:audio/flac:*\">http://h/?a=1&b=2</res></item></DIDL-Lite>",
    // HTML's names.
    "<DIDL-Lite><item><dc:title>A &amp;&nbsp;B</dc:title></item></DIDL-Lite>",
    // Escaped twice.
    "&lt;DIDL-Lite&gt;&lt;item&gt;&lt;dc:title&gt;A &amp;amp; B&lt;/dc:title&gt;&lt;/item&gt;&lt;/DIDL-Lite&gt;",
    // Cut off.
    "<DIDL-Lite><item restricted=\"True\"><dc:title>A &amp; B</dc:title><upnp:cl",
    // A bare item, CDATA, a declaration and a byte order mark.
    "\u{feff}<?xml version=\"1.0\"?><item><title><![CDATA[A & B]]></title></item>",
  ])
  func survivesRealWorldDefects(_ text: String) {
    #expect(DIDL.items(text).first?.title?.replacing("\u{a0}", with: " ") == "A & B")
  }

  @Test func keepsTheQueryOfAnUnescapedURI() {
    let text =
      "<DIDL-Lite><item><res protocolInfo=\"x:y:z:w\">http://h/?a=1&b=2&copy;=3</res></item></DIDL-Lite>"
    #expect(DIDL.items(text).first?.resources.first?.uri.hasPrefix("http://h/?a=1&b=2") == true)
  }

  @Test(arguments: ["", ".", "NOT_IMPLEMENTED", "<", "<DIDL-Lite/>", "plain text", "<a><b></c>"])
  func findsNothingWhereNothingIs(_ text: String) {
    #expect(DIDL.items(text).isEmpty)
  }

  @Test func refusesDocumentTypes() {
    let bomb = """
      <!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\
      <DIDL-Lite><item><title>&b;</title></item></DIDL-Lite>
      """
    #expect(DIDL.items(bomb).isEmpty)
  }

  @Test func aDeclaredEncodingIsNotAppliedToText() {
    let text =
      "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><DIDL-Lite><item><title>\u{e9}</title></item></DIDL-Lite>"
    #expect(DIDL.items(text).first?.title == "\u{e9}")
  }

  @Test func whatFollowsEnoughElementsIsLeftOut() {
    let items = (0..<5000).map { "<item><title>\($0)</title></item>" }.joined()
    #expect(DIDL.items("<DIDL-Lite>\(items)</DIDL-Lite>").map(\.title) == ["0"])
    #expect(DIDL.items("<DIDL-Lite>\(items)</DIDL-Lite>", limit: 2000).last?.title == "1999")
  }

  @Test(arguments: 0..<8)
  func readsLongTextsWhole(offset: Int) {
    // Longer than what libxml2 is given at once, at all the places where it could be cut.
    let accents = String(repeating: "a\u{301}", count: 30_000)
    let pad = String(repeating: " ", count: offset)
    let items = String(repeating: "<item a=\">>>>>>>>>>>>>>>>>\"/>", count: 2000)
    let document = "<DIDL-Lite>\(pad)<item><title>\(accents)</title></item>\(items)</DIDL-Lite>"
    #expect(DIDL.items(document).first?.title == accents)
    #expect(DIDL.items(document, limit: 5000).count == 2001)
  }

  /// A letter with thousands of marks would take seconds to be compared; references hide them from whoever looks at bytes.
  @Test func noLetterHasManyMarks() throws {
    let marks = String(repeating: "&#769;&#803;", count: 1000)
    let fields = "<title>a\(marks)</title><res protocolInfo='a:b:c\(marks):d'>x</res>"
    let item = try #require(DIDL.items("<DIDL-Lite><item>\(fields)</item></DIDL-Lite>").first)
    for text in [item.title, item.resources.first?.protocolInfo?.mimeType] {
      let text = try #require(text)
      #expect(text.unicodeScalars.count > 2000)
      #expect(text.utf8.elementsEqual(text.streamSafe.utf8))
    }
  }

  @Test func theOnlyResourceStandsForAnyURI() {
    let item = DIDL.items(wellFormed).first
    #expect(item?.resource(for: "http://elsewhere/") != nil)
  }
}
