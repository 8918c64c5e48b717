import NIOCore
import Testing

@testable import HTTP

@Suite struct RequestParserTests {
  static let small: HTTPLimits = {
    var limits = HTTPLimits()
    limits.requestLineBytes = 100
    limits.headBytes = 300
    limits.headerCount = 5
    limits.bodyBytes = 50
    return limits
  }()

  /// What comes of `text` in pieces of `step` bytes: requests as `METHOD path body`, or a status.
  static func run(_ text: String, step: Int = .max, limits: HTTPLimits = small) -> [String] {
    var parser = RequestParser(limits: limits)
    var buffer = ByteBuffer()
    var results: [String] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      buffer.writeBytes(rest.prefix(step))
      rest = rest.dropFirst(step)
      loop: while true {
        switch parser.next(&buffer) {
        case .needMore: break loop
        case .head: continue
        case .request(let request):
          results.append("\(request.head.method) \(request.head.path) \(String(buffer: request.body))")
        case .failure(let status):
          return results + ["\(status.rawValue)"]
        }
      }
    }
    return results
  }

  /// As `curl -X POST` sends it.
  @Test(arguments: [1, 1000]) func aPostMayHaveNoBody(step: Int) {
    let text = "POST /a HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n"
    #expect(Self.run(text, step: step) == ["POST /a ", "GET /b "])
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func anyCutGivesTheSame(step: Int) {
    let text =
      "\r\nGET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n" + "POST /b HTTP/1.1\nHost: h\ncontent-LENGTH:  3 \n\nabc"
      + "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n02\r\nde\r\n0\r\nT: x\r\n\r\n"
      + "GET http://h:80/d HTTP/1.0\r\n\r\n"
    #expect(Self.run(text, step: step) == ["GET /a ", "POST /b abc", "POST /c abcde", "GET /d "])
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
    ("GET /\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET / HTTP/1.1 x\r\nHost: a\r\n\r\n", 400),
    ("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET ftp://x/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("G\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
    ("\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n\r\n", 411),
    ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", 411),
    ("POST / HTTP/1.0\r\nHost: a\r\n\r\n", 411),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 51\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n33\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "x", count: 300))",
      400
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(String(repeating: "a: b\r\n", count: 17))",
      431
    ),
    ("GET /\(String(repeating: "x", count: 100))", 414),
    ("GET /\(String(repeating: "x", count: 100)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "a: b\r\n", count: 5))\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: a\r\nx: \(String(repeating: "x", count: 300))", 431),
    ("GET / HTTP/1.1\r\nHost: a\r\nx: \(String(repeating: "x", count: 300))\r\n\r\n", 431),
  ])
  func refusals(text: String, status: Int) {
    #expect(Self.run(text) == ["\(status)"])
    #expect(Self.run(text, step: 1) == ["\(status)"])
  }

  @Test func aRefusedConnectionStaysRefused() {
    var parser = RequestParser(limits: Self.small)
    var buffer = ByteBuffer(string: "BAD\r\nGET / HTTP/1.0\r\n\r\n\r\n")
    for _ in 0..<2 {
      guard case .failure(.badRequest) = parser.next(&buffer) else {
        Issue.record("accepted")
        return
      }
    }
  }

  @Test func aSlowHeadCostsLinearTime() {
    // 16 kB byte by byte: each byte is looked at once, or this would take minutes.
    var limits = HTTPLimits()
    limits.headerCount = 10000
    let text = "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a: b\r\n", count: 2500) + "\r\n"
    #expect(Self.run(text, step: 1, limits: limits) == ["GET / "])
  }

  @Test func aSlowBodyIsNotCopiedWithEachPiece() {
    // 32 MB at once and then byte by byte: to copy it with each byte would take most of a minute.
    var limits = HTTPLimits()
    limits.bodyBytes = 64 << 20
    var parser = RequestParser(limits: limits)
    var buffer = ByteBuffer(
      string: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2000000\r\n")
    buffer.writeRepeatingByte(0x61, count: 0x200_0000)
    buffer.writeString("\r\n")
    let begun = ContinuousClock.now
    for _ in 0..<4000 {
      switch parser.next(&buffer) {
      case .needMore, .head: buffer.writeString("1\r\nb\r\n")
      case .request, .failure: Issue.record("it isn't complete")
      }
    }
    #expect(parser.heldBytes == 0x200_0000 + 3999)
    #expect(ContinuousClock.now - begun < .seconds(10))
    buffer.writeString("0\r\n\r\n")
    guard case .request(let request) = parser.next(&buffer) else {
      Issue.record("it is complete")
      return
    }
    #expect(request.body.readableBytes == 0x200_0000 + 4000)
    #expect(parser.heldBytes == 0)
  }

  @Test func keepAlive() throws {
    func head(_ text: String) throws -> RequestHead {
      try text.withCString { pointer in
        try RequestHead(
          parsing: UnsafeRawBufferPointer(start: pointer, count: text.utf8.count))
      }
    }
    #expect(try head("GET / HTTP/1.1\r\nHost: a\r\n\r\n").keepsAlive)
    #expect(try !head("GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n").keepsAlive)
    #expect(try !head("GET / HTTP/1.0\r\n\r\n").keepsAlive)
    #expect(try head("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keepsAlive)
    #expect(
      try head("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 0\r\n\r\n")
        .expectsContinue)
    #expect(try head("GET http://me:1/ HTTP/1.1\r\nHost: other\r\n\r\n").host == "me:1")
  }
}
