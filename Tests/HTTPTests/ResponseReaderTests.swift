import NIOCore
import Testing

@testable import HTTP

/// What other devices' servers answer.
@Suite struct ResponseReaderTests {
  private enum Reading: Equatable {
    case needMore
    case response(Int, String, keeps: Bool)
    case fault(ResponseFault)
  }

  /// Reads `text` in pieces of `step` bytes, and then the end of the connection.
  private func read(
    _ text: String, step: Int = .max, limit: Int = 100, hasBody: Bool = true, ends: Bool = false
  ) -> Reading {
    var reader = ResponseReader(limit: limit, hasBody: hasBody)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(step)
      rest = rest.dropFirst(step)
      switch reader.read(ByteBuffer(bytes: piece)) {
      case .needMore: break
      case .response(let response):
        return .response(
          response.status, String(buffer: response.body), keeps: reader.keepsConnection && rest.isEmpty)
      case .fault(let fault): return .fault(fault)
      }
    }
    guard ends, let response = reader.end() else { return .needMore }
    return .response(response.status, String(buffer: response.body), keeps: reader.keepsConnection)
  }

  @Test(arguments: [1, 2, 7, Int.max]) func allThreeFormsOfABody(step: Int) {
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    #expect(read(length, step: step) == .response(200, "hello", keeps: true))
    let chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n"
    #expect(read(chunked, step: step) == .response(200, "hello", keeps: true))
    let closed = "HTTP/1.1 200 OK\n\nhello"
    #expect(read(closed, step: step) == .needMore)
    #expect(read(closed, step: step, ends: true) == .response(200, "hello", keeps: false))
    #expect(read("HTTP/1.1 204 No\r\n\r\n", step: step) == .response(204, "", keeps: true))
  }

  @Test func whatIsCutOffIsNoResponse() {
    #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", ends: true) == .needMore)
    #expect(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", ends: true) == .needMore)
    #expect(read("HTTP/1.1 200 OK\r\nContent-Le", ends: true) == .needMore)
    #expect(read("", ends: true) == .needMore)
  }

  @Test(arguments: [1, Int.max]) func interimResponsesArePassedOver(step: Int) {
    let interim = "HTTP/1.1 100 Continue\r\n\r\n"
    let last = "HTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\nx"
    #expect(read(interim + last, step: step) == .response(500, "x", keeps: true))
    let many = String(repeating: interim, count: ResponseReader.mostInterim + 1)
    #expect(read(many + last, step: step) == .fault(.malformed))
    #expect(read("HTTP/1.1 101 Other\r\n\r\n", step: step) == .fault(.malformed))
  }

  @Test(arguments: [
    "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
  ])
  func whatCannotBeRead(text: String) {
    #expect(read(text) == .fault(.malformed))
    #expect(read(text, step: 1) == .fault(.malformed))
  }

  @Test(arguments: [1, 100, Int.max]) func nothingIsUnbounded(step: Int) {
    let body = String(repeating: "x", count: 101)
    #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n\(body)", step: step) == .fault(.tooLarge))
    #expect(read("HTTP/1.1 200 OK\r\n\r\n\(body)", step: step) == .fault(.tooLarge))
    let chunks = String(repeating: "1\r\nx\r\n", count: 101)
    #expect(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)", step: step) == .fault(.tooLarge))
    #expect(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", step: step)
        == .fault(.tooLarge))
    let endless = String(repeating: "x", count: ResponseReader.longestHead + 1)
    #expect(read("HTTP/1.1 200 OK\r\n\(endless)", step: step) == .fault(.tooLarge))
    let fields = String(repeating: "a: b\r\n", count: ResponseReader.mostFields + 1)
    #expect(read("HTTP/1.1 200 OK\r\n\(fields)\r\n", step: step) == .fault(.tooLarge))
  }

  @Test func connectionsThatCannotBeUsedAgain() {
    func keeps(_ text: String, hasBody: Bool = true) -> Reading { read(text, hasBody: hasBody) }
    #expect(keeps("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n") == .response(200, "", keeps: false))
    #expect(
      keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        == .response(200, "", keeps: false))
    #expect(keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx") == .response(200, "", keeps: false))
    #expect(
      keeps("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        == .response(200, "", keeps: false))
  }

  /// Devices answer SUBSCRIBE without a length and keep the connection open.
  @Test func aResponseWithoutBodyNeedsNoLength() {
    let text = "HTTP/1.1 200 OK\r\nSID: uuid:1\r\n\r\n"
    #expect(read(text, hasBody: false) == .response(200, "", keeps: false))
    #expect(read(text, hasBody: true) == .needMore)
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    #expect(read(length, hasBody: false) == .response(200, "", keeps: true))
  }

  @Test func fieldsAreReadLeniently() {
    var reader = ResponseReader(limit: 10, hasBody: true)
    let text =
      "HTTP/1.1 200 OK\r\nnonsense\r\n folded\r\nSID : x\r\nTimeOut:\tSecond-300 \r\nContent-Length:0\r\n\r\n"
    guard case .response(let response) = reader.read(ByteBuffer(string: text)) else {
      Issue.record("no response")
      return
    }
    #expect(response.fields.first("timeout") == "Second-300")
    #expect(response.fields.first("sid") == nil)
  }
}
