import NIOCore
import Testing
import Text

@testable import HTTP
@testable import UPnP

@Suite struct StreamSafeInputTests {
  /// Two marks that a comparison puts in order.
  private static let marks = String(repeating: "\u{0301}\u{0323}", count: 500)

  private func isSafe(_ text: String) -> Bool { text.utf8.elementsEqual(text.streamSafe.utf8) }

  /// To compare what isn't would take seconds.
  @Test func whatComesFromTheNetworkIsSafe() throws {
    let soap =
      "<Envelope><Body><A><B>\(Self.marks)</B><C>\(String(repeating: "&#769;&#803;", count: 500))</C></A></Body></Envelope>"
    let texts = try SOAPParser.parse(ByteBuffer(string: soap)).arguments.map(\.text)
    #expect(texts.count == 2 && texts.allSatisfy { $0.unicodeScalars.count > 1000 && isSafe($0) })
    let head = Array("GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: \(Self.marks)\r\n\r\n".utf8)
    let request = try head.withUnsafeBytes { try RequestHead(parsing: $0) }
    #expect(request.fields.first("user-agent").map { $0.unicodeScalars.count > 1000 && isSafe($0) } == true)
  }
}
