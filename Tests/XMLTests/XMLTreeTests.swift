import NIOCore
import Testing
import XML

@Suite struct XMLTreeTests {
  private func read(
    _ text: String, bytes: Int = 10_000, elements: Int = 100, depth: Int = 8
  ) throws(XMLError) -> XMLNode {
    try XMLTree.read(
      ByteBuffer(string: text), limits: .init(bytes: bytes, elements: elements, depth: depth))
  }

  @Test func theTreeIsThatOfTheDocument() throws {
    let root = try read("<p:a xmlns:p='u' x='1&amp;2' p:x='3'>t<b>1</b>u<b/><c y=''> 4 </c></p:a>")
    #expect(root.name == "a" && root.text == "tu")
    #expect(root.attributes == ["x": "1&2"], "of two with the same local name, the first")
    #expect(root.children.map(\.name) == ["b", "b", "c"])
    #expect(root.text(of: "b") == "1" && root.text(of: "c") == "4")
    #expect(root.child("c")?.attributes == ["y": ""])
  }

  @Test(arguments: [
    "<a><b>1 & 2</b></a>", "<a><b>1 &amp; 2</b>", "\u{feff}<a><b>1 &amp; 2</b></a>",
    "<a><x:b>1 &amp; 2</x:b></a>", "<a><b>1 &amp; 2</b></a>\u{0}", "  <a><b>1 & 2</b><c></a>",
  ])
  func whatIsNotWellFormedIsReadLeniently(text: String) throws {
    #expect(try read(text).text(of: "b") == "1 & 2")
  }

  @Test(arguments: ["", "a", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "{}", "<"])
  func whatIsNoDocumentIsRefused(text: String) {
    #expect(throws: XMLError.malformed) { try read(text) }
  }

  @Test func limitsHold() throws {
    #expect(throws: XMLError.tooLarge) { try read("<a>" + String(repeating: "x", count: 10_000) + "</a>") }
    let many = { (count: Int) in "<a>" + String(repeating: "<b/>", count: count) + "</a>" }
    #expect(try read(many(99)).children.count == 99)
    #expect(throws: XMLError.tooLarge) { try read(many(100)) }
    let defective = "<a>&" + many(500)
    #expect(try read(defective).child("a")?.children.count == 98, "cut off")
    let deep = { (depth: Int) in
      String(repeating: "<d>", count: depth) + String(repeating: "</d>", count: depth)
    }
    #expect(throws: XMLError.tooLarge) { try read(deep(9)) }
    let attributes = (0..<100).map { " a\($0)=''" }.joined()
    #expect(throws: XMLError.tooLarge) { try read("<a\(attributes)/>") }
  }

  @Test func referencesAreResolved() {
    let base = "http://192.0.2.9:8200/a/rootDesc.xml"
    #expect(URIReference.resolved("/ctl", against: base) == "http://192.0.2.9:8200/ctl")
    #expect(URIReference.resolved("ctl?x=1", against: base) == "http://192.0.2.9:8200/a/ctl?x=1")
    #expect(URIReference.resolved("http://192.0.2.10/x", against: base) == "http://192.0.2.10/x")
    #expect(URIReference.resolved("", against: base) == nil)
    #expect(URIReference.resolved(String(repeating: "x", count: 5000), against: base) == nil)
  }
}
