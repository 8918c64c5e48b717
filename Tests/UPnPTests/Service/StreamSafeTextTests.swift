import NIOCore
import Testing

@testable import UPnP

@Suite struct StreamSafeTextTests {
  /// Two marks that a comparison puts in order.
  private static let marks = String(repeating: "\u{0301}\u{0323}", count: 500)

  private func isSafe(_ text: String) -> Bool { text.utf8.elementsEqual(text.streamSafe.utf8) }

  @Test(arguments: [
    "", "plain <text> & more", "Dvo\u{0159}\u{00e1}k", "Dvor\u{030c}a\u{0301}k", "\u{0e17}\u{0e35}\u{0e48}",
    "\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}", "音楽", "👨\u{200d}👩\u{200d}👧 🇩🇪",
    "\u{0915}\u{094d}\u{0937}\u{093f}",
    "a" + String(repeating: "\u{0301}", count: 30) + "b" + String(repeating: "\u{0301}", count: 30),
  ]) func whatPeopleWriteStaysAsItIs(text: String) {
    #expect(isSafe(text))
  }

  @Test(arguments: ["\u{0301}\u{0323}", "\u{1161}", "\u{09be}", "\u{20dd}"])
  func noLetterHasMoreThanThirtyMarks(mark: String) {
    let text = "a" + String(repeating: mark, count: 500) + "b"
    let safe = text.streamSafe
    let runs = safe.unicodeScalars.split(separator: "\u{034f}")
    #expect(runs.count > 16)
    #expect(runs.allSatisfy { $0.count <= 31 })
    #expect(runs.joined().elementsEqual(text.unicodeScalars))
    #expect(isSafe(safe))
  }

  /// To compare what isn't would take seconds.
  @Test func whatComesFromTheNetworkIsSafe() throws {
    let soap =
      "<Envelope><Body><A><B>\(Self.marks)</B><C>\(String(repeating: "&#769;&#803;", count: 500))</C></A></Body></Envelope>"
    let texts = try SOAPParser.parse(ByteBuffer(string: soap)).arguments.map(\.text)
    #expect(texts.count == 2 && texts.allSatisfy { $0.unicodeScalars.count > 1000 && isSafe($0) })
    let head = Array("GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: \(Self.marks)\r\n\r\n".utf8)
    let request = try head.withUnsafeBytes { try RequestHead(parsing: $0, limits: HTTPLimits()) }
    #expect(request.fields.first("user-agent").map { $0.unicodeScalars.count > 1000 && isSafe($0) } == true)
  }
}
