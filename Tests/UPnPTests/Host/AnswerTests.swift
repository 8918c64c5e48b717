import NIOCore
import Synchronization
import Testing

@testable import HTTP
@testable import UPnP

/// Answers that come later, and those that are sent piece by piece, on real sockets.
@Suite struct AnswerTests {
  /// Serves `/later` and `/stream`, for which the test gives the answers, and `/endless`, whose body never ends.
  private final class Slow: Responder {
    let asked = Mutex<[RequestID]>([])
    let gone = Mutex<[RequestID]>([])
    /// How often a reader has taken all that was written.
    let taken = Mutex(0)
    /// What became of the responses for `/endless`: true for those that have left.
    let sent = Mutex<[Bool]>([])
    /// Called while a request is being answered.
    let whenAsked = Mutex<(@Sendable (RequestID) -> Void)?>(nil)

    func methods(at path: String) -> [String]? {
      ["/later", "/stream", "/endless"].contains(path) ? ["GET", "HEAD"] : nil
    }

    func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
      guard methods(at: request.head.path)?.contains(request.head.method) == true else { return nil }
      asked.withLock { $0.append(id) }
      whenAsked.withLock { $0 }?(id)
      var response = HTTPResponse(.ok)
      response.contentType = "text/plain"
      switch request.head.path {
      case "/stream": return .streaming(response)
      case "/endless":
        response.rest = Endless()
        response.whenSent = { [self] hasLeft in sent.withLock { $0.append(hasLeft) } }
        return .complete(response)
      default: return .later
      }
    }

    func abandoned(_ id: RequestID) { gone.withLock { $0.append(id) } }

    func taken(_ id: RequestID) { taken.withLock { $0 += 1 } }

    func explanation(ofForeignHost head: RequestHead, from peer: Peer) -> HTTPResponse? {
      head.path == "/later"
        ? HTTPResponse(.forbidden, contentType: "text/plain", body: ByteBuffer(string: "why")) : nil
    }

    func request(_ number: Int = 0) async throws -> RequestID {
      try await waitUntil { asked.withLock { $0.count } > number }
      return asked.withLock { $0[number] }
    }
  }

  private struct Endless: BodyRest {
    mutating func write(to body: inout ByteBuffer) -> Bool { true }
  }

  private static func get(_ path: String, version: String = "1.1") -> String {
    "GET \(path) HTTP/\(version)\r\nHost: localhost\r\n\r\n"
  }

  private static func answer(_ text: String) -> HTTPResponse {
    HTTPResponse(.ok, contentType: "text/plain", body: ByteBuffer(string: text))
  }

  @Test func aLaterAnswerHoldsUpItsConnectionOnly() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let socket = try host.connect()
      socket.send(Self.get("/later") + Self.get("/"))
      let id = try await slow.request()
      #expect(try host.get("/").status == 200)
      await host.host.server.complete(id, with: Self.answer("at last"))
      #expect(socket.message()?.body == "at last")
      #expect(socket.message()?.body == "<p>status</p>")
      await host.host.server.complete(id, with: Self.answer("twice"))
      socket.send(Self.get("/"))
      #expect(socket.message()?.body == "<p>status</p>", "an answer to an earlier request falls through")
    }
  }

  @Test func anAnswerThatNeverComesIsGivenUp() async throws {
    let slow = Slow()
    try await withHost(configuration: .with { $0.http.answerSeconds = 1 }, responders: [slow]) { host in
      let reply = try host.exchange(Self.get("/later"))
      #expect(reply.status == 503)
      #expect(slow.gone.withLock { $0.count } == 1)
    }
  }

  @Test(arguments: ["/later", "/stream"]) func anAnswerMayComeWhileItIsAskedFor(path: String) async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let server = host.host.server
      slow.whenAsked.withLock { hook in
        hook = { id in server.assumeIsolated { $0.complete(id, with: Self.answer("at once")) } }
      }
      let socket = try host.connect()
      socket.send(Self.get(path) + Self.get("/"))
      #expect(socket.message()?.body == "at once")
      #expect(socket.message()?.body == "<p>status</p>")
      let id = try await slow.request()
      let gone = slow.gone.withLock { $0 }
      #expect(gone == (path == "/stream" ? [id] : []), "who streams is told to stop")
    }
  }

  @Test func whoeverWaitsForAResponseToLeaveLearnsThatItsConnectionWasReset() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      var socket: RawSocket? = try host.connect()
      socket?.send(Self.get("/endless"))
      _ = try await slow.request()
      socket?.resetsWhenClosed()
      socket = nil
      try await waitUntil { slow.sent.withLock { $0 } == [false] }
    }
  }

  @Test func aStreamComesInChunks() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let socket = try host.connect()
      socket.send(Self.get("/stream"))
      let id = try await slow.request()
      let head = try #require(socket.message(hasBody: false))
      #expect(head["transfer-encoding"] == "chunked" && head["content-length"] == nil)
      for text in ["one", "", "three"] {
        #expect(await host.host.server.write(ByteBuffer(string: text), to: id))
      }
      await host.host.server.end(id)
      #expect(socket.rest() == "3\r\none\r\n5\r\nthree\r\n0\r\n\r\n")
      #expect(await !host.host.server.write(ByteBuffer(string: "more"), to: id))
      #expect(slow.gone.withLock { $0.isEmpty })
    }
  }

  @Test func anOldClientReadsAStreamToTheEndOfTheConnection() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let socket = try host.connect()
      socket.send(Self.get("/stream", version: "1.0"))
      let id = try await slow.request()
      #expect(socket.message(hasBody: false)?["transfer-encoding"] == nil)
      await host.host.server.write(ByteBuffer(string: "all"), to: id)
      await host.host.server.end(id)
      #expect(socket.rest() == "all")
    }
  }

  @Test func aReaderThatTakesNothingIsDropped() async throws {
    let slow = Slow()
    try await withHost(
      configuration: .with {
        $0.http.streamBytes = 64 << 20
        $0.http.streamSeconds = 1
      }, responders: [slow]
    ) { host in
      let socket = try host.connect()
      socket.send(Self.get("/stream"))
      let id = try await slow.request()
      // More than the buffers of the kernel hold.
      #expect(await host.host.server.write(ByteBuffer(repeating: 0x78, count: 32 << 20), to: id))
      try await waitUntil { slow.gone.withLock { $0 } == [id] }
      #expect(await host.host.statistics.refusals[.timeout] == 1)
      #expect(await host.host.server.connections.unsentBytes == 0)
      withExtendedLifetime(socket) {}
    }
  }

  @Test func whatAReaderOwesIsBounded() async throws {
    let slow = Slow()
    try await withHost(configuration: .with { $0.http.streamBytes = 1 << 20 }, responders: [slow]) { host in
      let socket = try host.connect()
      socket.send(Self.get("/stream"))
      let id = try await slow.request()
      var pieces = 0
      while await host.host.server.write(ByteBuffer(repeating: 0x78, count: 512 << 10), to: id) {
        pieces += 1
        try #require(pieces < 1000)
      }
      #expect(slow.gone.withLock { $0 } == [id])
      #expect(await host.host.statistics.refusals[.unsentResponseBytes] == 1)
      #expect(pieces < 40, "what the sockets take, and far less than all readers together may owe")
      withExtendedLifetime(socket) {}
    }
  }

  @Test func aReaderThatGoesIsReported() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      var socket: RawSocket? = try host.connect()
      socket?.send(Self.get("/stream"))
      let id = try await slow.request()
      socket = nil
      try await waitUntil { slow.gone.withLock { $0 } == [id] }
    }
  }

  @Test func aHeadRequestForAStreamIsReportedAsAbandoned() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let reply = try host.get("/stream", method: "HEAD")
      #expect(reply.status == 200)
      let id = try await slow.request()
      try await waitUntil { slow.gone.withLock { $0 } == [id] }
      #expect(await !host.host.server.write(ByteBuffer(string: "more"), to: id))
    }
  }

  @Test func aReaderThatSendsTooMuchIsReported() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let socket = try host.connect()
      socket.send(Self.get("/stream"))
      let id = try await slow.request()
      socket.send([UInt8](repeating: 0x78, count: Connection.drainedBytes))
      #expect(await host.host.server.write(ByteBuffer(string: "still here"), to: id))
      socket.send("xx")
      try await waitUntil { slow.gone.withLock { $0 } == [id] }
      #expect(await !host.host.server.write(ByteBuffer(string: "more"), to: id))
      #expect(socket.endsInTime())
    }
  }

  @Test func aStreamGivesWayWhenNobodyElseCan() async throws {
    let slow = Slow()
    try await withHost(
      configuration: .with {
        $0.http.connections = 1
        $0.http.connectionsPerAddress = 1
      }, responders: [slow]
    ) { host in
      let reader = try host.connect()
      reader.send(Self.get("/stream"))
      let id = try await slow.request()
      #expect(try host.get("/").status == 200)
      #expect(slow.gone.withLock { $0 } == [id])
    }
  }

  /// Whoever writes a stream is told when its reader has taken everything, and not before.
  @Test func aStreamSaysWhenItWasTaken() async throws {
    let slow = Slow()
    try await withHost(responders: [slow]) { host in
      let socket = try host.connect()
      socket.send(Self.get("/stream"))
      let id = try await slow.request()
      #expect(slow.taken.withLock { $0 } == 0)
      await host.host.server.write(ByteBuffer(string: "piece"), to: id)
      try await waitUntil { slow.taken.withLock { $0 } == 1 }
      // More than the sockets of both sides hold.
      var pieces = 0
      while slow.taken.withLock({ $0 }) == pieces + 1, pieces < 400 {
        await host.host.server.write(ByteBuffer(repeating: 120, count: 100_000), to: id)
        pieces += 1
      }
      #expect(slow.taken.withLock { $0 } == pieces)
      #expect(slow.gone.withLock { $0.isEmpty })
    }
  }

  /// A browser that came by a name which isn't ours may be told so; others get no body.
  @Test func aWrongHostNameMayBeExplained() async throws {
    try await withHost(responders: [Slow()]) { host in
      func ask(_ path: String, _ name: String) throws -> Message {
        try host.exchange("GET \(path) HTTP/1.1\r\nHost: \(name)\r\n\r\n")
      }
      let explained = try ask("/later", "evil.example")
      #expect(explained.status == 403)
      #expect(explained.body == "why")
      #expect(explained["connection"] == "close")
      #expect(try ask("/stream", "evil.example").body == "")
    }
  }
}
