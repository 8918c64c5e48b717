import NIOCore
import Testing
import XML

@Suite struct StrictXMLTests {
  /// Notes everything that it is told, and wants the text of elements called `T`.
  private struct Notes: XMLVisitor {
    var notes: [String] = []

    mutating func start(_ tag: XMLStartTag, depth: Int) throws(XMLError) -> Bool {
      let value = try tag.allAttributes()["v"].map { " v=\($0)" } ?? ""
      notes.append("\(depth)<\(try tag.namespace())|\(try tag.name())\(value)")
      return tag.isNamed("T")
    }

    mutating func end(depth: Int, text: String?) { notes.append("\(depth)>\(text ?? "")") }
  }

  private func notes(_ text: String, depth: Int = 8) throws(XMLError) -> [String] {
    try StrictXML.read(ByteBuffer(string: text), depth: depth, with: Notes()).notes
  }

  @Test func elementsComeInTheirOrder() throws {
    #expect(
      try notes("<a xmlns='u'><n:T xmlns:n='x'>1</n:T><b/></a>")
        == ["1<u|a", "2<x|T", "2>1", "2<u|b", "2>", "1>"])
  }

  @Test func textIsTheElementsOwn() throws {
    #expect(
      try notes("<T>a<T>b<c>not</c>&amp;</T><![CDATA[<d>]]>\n</T>").filter { $0.contains(">") }
        == ["3>", "2>b&", "1>a<d>\n"])
  }

  @Test func attributesAreReadByLocalName() throws {
    let text = "<a xmlns:p='u' w='1' p:v='&lt;&amp;&#38;lt;&#x20AC; \"'/>"
    #expect(try notes(text).first == "1<|a v=<&&lt;€ \"")
    #expect(try notes("<a v=''/>").first == "1<|a v=")
    #expect(try notes("<a/>").first == "1<|a")
  }

  @Test func depthIsBounded() throws {
    let deep = { (depth: Int) in
      String(repeating: "<d>", count: depth) + String(repeating: "</d>", count: depth)
    }
    #expect(try notes(deep(8)).count == 16)
    #expect(throws: XMLError.tooLarge) { try notes(deep(9)) }
    #expect(try notes(deep(StrictXML.maximumDepth), depth: .max).count == 2 * StrictXML.maximumDepth)
    #expect(throws: XMLError.tooLarge) { try notes(deep(StrictXML.maximumDepth + 1), depth: .max) }
  }

  @Test func namesAreBounded() {
    let name = String(repeating: "n", count: XMLStartTag.maximumNameBytes + 1)
    #expect(throws: XMLError.tooLarge) { try notes("<\(name)/>") }
    let namespace = String(repeating: "n", count: XMLStartTag.maximumNamespaceBytes + 1)
    #expect(throws: XMLError.tooLarge) { try notes("<a xmlns='\(namespace)'/>") }
  }

  /// What isn't UTF-8 is read again as Latin-1, from the beginning.
  @Test func aSecondTryBeginsAnew() throws {
    let latin1 = ByteBuffer(bytes: "<a><T>\u{e9}</T></a>".unicodeScalars.map { UInt8($0.value) })
    let notes = try StrictXML.read(latin1, depth: 8, with: Notes()).notes
    #expect(notes == ["1<|a", "2<|T", "2>\u{e9}", "1>"])
    // What is UTF-8 stays.
    let bytes = Array("<a><T>\u{e9}\u{201c}".utf8) + [0xe9, 0xe2, 0x80] + Array("\u{1f3b5}</T></a>".utf8)
    let mixed = try StrictXML.read(ByteBuffer(bytes: bytes), depth: 8, with: Notes()).notes
    #expect(mixed == ["1<|a", "2<|T", "2>\u{e9}\u{201c}\u{e9}\u{e2}\u{80}\u{1f3b5}", "1>"])
  }

  @Test(arguments: ["", "<a>", "<a></b>", "<!DOCTYPE a><a/>", "<a>&nbsp;</a>", "text", "<a/><b/>"])
  func whatIsNotWellFormedIsRefused(text: String) {
    #expect(throws: XMLError.malformed) { try notes(text) }
  }

  /// A prefix that nobody declares is as good as none.
  @Test func undeclaredPrefixesAreIgnored() throws {
    #expect(try notes("<p:T>1</p:T>").first?.hasSuffix("T") == true)
  }
}
