import NIOCore
import Testing
import Text

@testable import UPnP
@testable import XML

@Suite struct SOAPParserTests {
  func parse(_ text: String) throws(SOAPParserError) -> SOAPBody {
    try SOAPParser.parse(ByteBuffer(string: text))
  }

  func envelope(_ inside: String, dtd: String = "") -> String {
    "<?xml version=\"1.0\"?>\(dtd)<e:Envelope xmlns:e=\"urn:e\"><e:Body><a:Act xmlns:a=\"urn:t\">\(inside)</a:Act>"
      + "</e:Body></e:Envelope>"
  }

  @Test func textIsPutTogether() throws {
    let body = try parse(
      envelope("<A>a&amp;<![CDATA[<b>]]><!-- x -->&#x20AC;</A><n:B xmlns:n=\"x\"/><C> </C>"))
    #expect(body.action == "Act")
    #expect(body.namespace == "urn:t")
    #expect(body.arguments.map(\.name) == ["A", "B", "C"])
    #expect(body.arguments.map(\.text) == ["a&<b>\u{20AC}", "", " "])
  }

  @Test func onlyTheFirstActionCounts() throws {
    let body = try parse(
      "<Envelope><Header><X><Y>1</Y></X></Header><Body><A xmlns=\"t\"><P>1</P></A><B><P>2</P></B></Body>"
        + "<Body><C/></Body></Envelope>")
    #expect(body.action == "A")
    #expect(body.arguments.map(\.text) == ["1"])
  }

  @Test func markupInsideAnArgumentIsNotItsText() throws {
    let body = try parse(envelope("<A>x<DIDL><item>y</item></DIDL>z</A>"))
    #expect(body.arguments[0].text == "xz")
  }

  static let laughs: String =
    "<!DOCTYPE lolz [<!ENTITY a \"lol\">"
    + (0..<10).map {
      "<!ENTITY \(["b", "c", "d", "e", "f", "g", "h", "i", "j", "k"][$0]) \"\(String(repeating: "&\(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"][$0]);", count: 10))\">"
    }
    .joined() + "]>"

  @Test(arguments: [
    laughs, "<!DOCTYPE a SYSTEM \"file:///etc/passwd\">",
    "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
    "<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/\"> %p;]>",
    "<!DOCTYPE a [<!ENTITY x \"\(String(repeating: "A", count: 150_000))\">]>",
  ])
  func documentTypesAreRefused(dtd: String) {
    #expect(throws: SOAPParserError.malformed) { try parse(envelope("<A>&x;&k;</A>", dtd: dtd)) }
    #expect(throws: SOAPParserError.malformed) { try parse(envelope("<A>1</A>", dtd: dtd)) }
  }

  @Test(arguments: ["<A>&nbsp;</A>", "<A>", "<A></B>", "<A>\u{1}</A>", "<A>&#0;</A>", "<A a=1/>"])
  func whatIsNotWellFormedIsRefused(inside: String) {
    #expect(throws: SOAPParserError.malformed) { try parse(envelope(inside)) }
  }

  @Test func nestingIsBounded() throws {
    let deep = { (depth: Int) in
      String(repeating: "<d>", count: depth) + String(repeating: "</d>", count: depth)
    }
    _ = try parse(envelope(deep(SOAPParser.maximumDepth - 3)))
    #expect(throws: SOAPParserError.tooLarge) { try parse(envelope(deep(SOAPParser.maximumDepth - 2))) }
    #expect(throws: SOAPParserError.tooLarge) { try parse(envelope(deep(20000))) }
  }

  @Test func theNumberOfArgumentsIsBounded() throws {
    let many = { (count: Int) in String(repeating: "<A>1</A>", count: count) }
    #expect(
      try parse(envelope(many(SOAPParser.maximumArguments))).arguments.count == SOAPParser.maximumArguments)
    #expect(throws: SOAPParserError.tooLarge) { try parse(envelope(many(SOAPParser.maximumArguments + 1))) }
    let name = String(repeating: "n", count: XMLStartTag.maximumNameBytes + 1)
    #expect(throws: SOAPParserError.tooLarge) { try parse(envelope("<\(name)/>")) }
  }

  /// Swift sorts the marks on one letter each time when it compares strings.
  @Test func namesOfTheActionAreBounded() throws {
    let marks = { (count: Int) in "x" + String(repeating: "\u{301}\u{323}", count: count) }
    func body(action: String, namespace: String) -> String {
      "<Envelope><Body><\(action) xmlns=\"\(namespace)\"/></Body></Envelope>"
    }
    let safe = try parse(body(action: marks(30), namespace: "urn:" + marks(100)))
    #expect(safe.action == marks(30).streamSafe)
    #expect(safe.namespace == ("urn:" + marks(100)).streamSafe)
    #expect(throws: SOAPParserError.tooLarge) {
      try parse(body(action: "Act", namespace: "urn:" + marks(XMLStartTag.maximumNamespaceBytes / 4)))
    }
    let long = String(repeating: "n", count: XMLStartTag.maximumNameBytes + 1)
    #expect(throws: SOAPParserError.tooLarge) { try parse(body(action: long, namespace: "urn:t")) }
  }

  /// libxml2 compares each attribute of a tag with all others.
  @Test func theNumberOfAttributesIsBounded() throws {
    let attributes = { (count: Int) in (0..<count).map { " a\($0)=\"'>\"" }.joined() }
    let most = XMLTagScan.maximumAttributes
    #expect(try parse(envelope("<A\(attributes(most))>1</A>")).arguments.map(\.text) == ["1"])
    #expect(throws: SOAPParserError.tooLarge) { try parse(envelope("<A\(attributes(most + 1))>1</A>")) }
    #expect(throws: SOAPParserError.tooLarge) {
      try parse(envelope("</A x='\"'\(attributes(most + 1))>1</A>"))
    }
  }

  @Test func whatOnlyLooksLikeAttributesIsNotCounted() throws {
    let lines = String(repeating: "= ", count: 1000)
    let text = "\(lines)<![CDATA[\(lines)]]><!-- \(lines) --><?p \(lines)?>\"\(lines)\""
    #expect(try parse(envelope("<A>\(text)</A>")).arguments.count == 1)
  }

  @Test(arguments: ["", " encoding=\"utf-8\"", " encoding=\"iso-8859-1\"", " encoding=\"utf-7\""])
  func theBytesSayTheEncoding(declaration: String) throws {
    let text = "<?xml version=\"1.0\"\(declaration)?><Envelope><Body><A><P>\u{e9}</P></A></Body></Envelope>"
    #expect(try parse(text).arguments.map(\.text) == ["\u{e9}"])
    let latin1 = ByteBuffer(bytes: text.unicodeScalars.map { UInt8($0.value) })
    #expect(try SOAPParser.parse(latin1).arguments.map(\.text) == ["\u{e9}"])
  }

  @Test func widerEncodingsAreRefused() {
    let text = "<?xml version=\"1.0\" encoding=\"utf-16\"?><Envelope><Body><A/></Body></Envelope>"
    for mark in [[0xfeff], []] as [[UInt16]] {
      let units = mark + Array(text.utf16)
      let little = ByteBuffer(bytes: units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
      let big = ByteBuffer(bytes: units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
      #expect(throws: SOAPParserError.malformed) { try SOAPParser.parse(little) }
      #expect(throws: SOAPParserError.malformed) { try SOAPParser.parse(big) }
    }
  }

  @Test func hugeTextComesThroughWhole() throws {
    let text = String(repeating: "\u{E9}&amp;", count: 40000)
    #expect(try parse(envelope("<A>\(text)</A>")).arguments[0].text.unicodeScalars.count == 80000)
  }

  /// Programs in C like to count the one behind a string.
  @Test(arguments: ["\u{0}", "\r\n\u{0}\u{0}"]) func aNULBehindTheBodyIsNoPartOfIt(end: String) throws {
    #expect(try parse(envelope("<A>1</A>") + end).arguments.map(\.text) == ["1"])
    #expect(throws: SOAPParserError.malformed) { try parse(envelope("<A>1\(end)</A>")) }
    #expect(throws: SOAPParserError.malformed) { try parse(envelope("<A>1</A>") + end + "x") }
    #expect(throws: SOAPParserError.malformed) { try parse(end) }
  }

  @Test(arguments: ["<a/>", "<Envelope/>", "<Envelope><Body/></Envelope>", "<Body><A/></Body>"])
  func withoutAnActionThereIsNone(text: String) {
    #expect(throws: SOAPParserError.noAction) { try parse(text) }
  }

  @Test(arguments: [
    ("\"urn:a#B\"", "urn:a", "B"), ("urn:a#B", "urn:a", "B"), ("\"urn:a#B", "urn:a", "B"),
    (" urn:a#B\" ", "urn:a", "B"),
  ])
  func soapActionHeaders(header: String, type: String, name: String) throws {
    let action = try #require(SOAPAction(header: header))
    #expect(action.serviceType == type)
    #expect(action.name == name)
  }

  @Test(arguments: ["", "\"\"", "urn:a", "#B", "urn:a#", "\"\"urn:a#B\"\""])
  func brokenSOAPActionHeaders(header: String) { #expect(SOAPAction(header: header) == nil) }
}
