import NIOCore
import Testing
import XML

@Suite struct XMLWritingTests {
  @Test func escaping() {
    #expect(
      XMLEscaping.text("a<b>&\"'\t\n\r\u{1}\u{FFFE}\u{FFFD}é")
        == "a&lt;b&gt;&amp;\"'\t\n&#13;\u{FFFD}\u{FFFD}\u{FFFD}é")
    #expect(XMLEscaping.text("") == "")
    var buffer = ByteBuffer()
    buffer.writeXML("\"\t\n", quotes: true)
    #expect(String(buffer: buffer) == "&quot;&#9;&#10;")
    #expect(XMLEscaping.attribute("a\"<b>&") == "a&quot;&lt;b&gt;&amp;")
  }
}
