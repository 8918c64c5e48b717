import Testing
import XML

@Suite struct LenientXMLTests {
  @Test func boundsDepthAndSize() {
    let deep = String(repeating: "<a>", count: 200)
    #expect(LenientXML.parse(deep) == nil)
    let long = "<a>" + String(repeating: "x", count: LenientXML.maximumLength) + "</a>"
    #expect(LenientXML.parse(long) == nil)
  }

  @Test func repairsWithoutReading() {
    #expect(LenientXML.repaired(" \u{feff}<a>b & c</a> ") == "<a>b &amp; c</a>")
    #expect(LenientXML.repaired("&lt;a&gt;&amp;amp;&lt;/a&gt;") == "<a>&amp;</a>")
    #expect(LenientXML.repaired("plain") == nil && LenientXML.repaired("") == nil)
    #expect(LenientXML.repaired("<a>12</a>", maximumLength: 8) == nil)
  }

  @Test(arguments: [
    ("A &amp; B", "A & B"), ("A & B", "A & B"), ("It&#39;s &#x41;", "It's A"), ("&eacute;", "é"),
    ("&amp;amp;", "&amp;"), ("&#0;&#x110000;&#xd800;&#1;&#xfffe;", "&#0;&#x110000;&#xd800;&#1;&#xfffe;"),
    ("&unknown; &;", "&unknown; &;"), ("&#;&#x;", "&#;&#x;"), ("", ""),
  ])
  func referencesAreReplacedOnce(_ text: String, _ plain: String) {
    #expect(HTMLEntities.plain(text) == plain)
  }

  @Test func boundsAttributes() {
    let attributes = (0..<1000).map { " a\($0)=''" }.joined()
    #expect(LenientXML.parse("<a\(attributes)/>") == nil)
  }

  @Test func aLongNameIsNone() throws {
    let name = String(repeating: "n", count: LenientXML.maximumNameLength)
    let root = try #require(LenientXML.parse("<a \(name)='1' \(name)n='2'><p:\(name)/><b:c/></a>"))
    #expect(root.attributes == [name: "1", "": "2"])
    #expect(root.children.map(\.name) == ["", "c"])
  }

  @Test func ampersandsInAttributesAreRead() throws {
    let root = try #require(LenientXML.parse("<a b='&amp;&amp;#38; &#38;lt; x&y'/>"))
    #expect(root.attributes["b"] == "&&#38; &lt; x&y")
  }

  @Test func whatFollowsEnoughElementsIsLeftOut() {
    #expect(LenientXML.parse("<a><b/><c/></a>", limit: 2)?.children.map(\.name) == ["b"])
  }
}
