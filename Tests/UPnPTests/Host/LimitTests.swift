import Foundation
import Synchronization
import Testing

@testable import HTTP
@testable import UPnP

@Suite struct LimitTests {
  /// True when somebody else is served without waiting for anything to time out. (How soon, Tests/Interop measures: there
  /// the machine isn't busy with other tests.)
  func othersAreServed(_ host: RunningHost) throws -> Bool {
    let socket = try host.connect()
    let start = ContinuousClock.now
    socket.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return socket.message()?.status == 200 && ContinuousClock.now - start < .seconds(5)
  }

  @Test func twoHundredHalfOpenRequestsLockNobodyOut() async throws {
    try await withHost { host in
      var sockets: [RawSocket] = []
      for _ in 0..<200 {
        let socket = try host.connect()
        socket.send("POST /x HTTP/1.1\r\nHost: loc")
        sockets.append(socket)
      }
      #expect(try othersAreServed(host))
      #expect(await host.host.statistics.connections <= HTTPLimits().connectionsPerAddress)
      #expect(await host.host.statistics.refusals[.evicted] ?? 0 >= 136)
      sockets.removeAll()
    }
  }

  @Test func severalAddressesShareTheTotal() async throws {
    try await withHost(
      configuration: .with {
        $0.http.connections = 8
        $0.http.connectionsPerAddress = 6
      }
    ) { host in
      let sockets = try (0..<20).map { try host.connect(from: "127.0.0.\(2 + $0 % 4)") }
      #expect(try othersAreServed(host))
      #expect(await host.host.statistics.connections <= 8)
      #expect(sockets.count == 20)
    }
  }

  @Test func connectionsWithPendingResponsesAreNotClosedForOthers() async throws {
    try await withHost(
      configuration: .with {
        $0.http.connections = 1
        $0.http.connectionsPerAddress = 1
      }
    ) { host in
      let greedy = try host.connect()
      // Asks for much more than any buffer holds, and takes nothing.
      let request = "GET \(host.path)/device.xml HTTP/1.1\r\nHost: localhost\r\n\r\n"
      greedy.setTimeout(seconds: 4)
      while greedy.send(String(repeating: request, count: 200)) {}
      // On a busy machine the host may still be working off what it has read.
      var answered = -1
      for _ in 0..<60 where await host.host.statistics.requests != answered {
        answered = await host.host.statistics.requests
        try await Task.sleep(for: .milliseconds(500))
      }
      let refused = try host.connect()
      refused.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(refused.message()?.status == 503)
      #expect(await host.host.statistics.refusals[.connectionsPerAddress] == 1)
    }
  }

  /// Who has taken a large response is as idle as others, and goes for a newcomer.
  @Test func aResponseThatWasTakenIsNoReasonToStay() async throws {
    let page = HTTPPage(contentType: "text/plain", body: String(repeating: "x", count: 8 << 20))
    try await withHost(
      configuration: .with {
        $0.http.connections = 1
        $0.http.connectionsPerAddress = 1
      }, pages: ["/": { page }]
    ) { host in
      let first = try host.connect()
      first.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(first.message()?.body.utf8.count == 8 << 20)
      let second = try host.connect()
      second.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(second.message()?.status == 200)
    }
  }

  /// What nobody takes is bounded over all connections, not only on each.
  @Test func responsesThatNobodyTakesTogetherAreBounded() async throws {
    let page = HTTPPage(contentType: "text/plain", body: String(repeating: "x", count: 16 << 20))
    try await withHost(
      configuration: .with { $0.http.unsentResponseBytes = 40 << 20 }, pages: ["/": { page }]
    ) { host in
      let sockets = try (0..<6).map { _ in try host.connect() }
      for socket in sockets {
        socket.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      }
      try await waitUntil { await host.host.statistics.refusals[.unsentResponseBytes] == 4 }
      #expect(await host.host.statistics.refusals[.unsentResponseBytes] == 4)
      #expect(await host.host.server.connections.unsentBytes <= 40 << 20)
      #expect(sockets.count { $0.message()?.body.utf8.count == 16 << 20 } == 2, "those who stayed are served")
      #expect(await host.host.server.connections.unsentBytes == 0)
    }
  }

  /// The log names who let too much wait, not whose request was one too many.
  @Test func whoIsClosedForWhatHeDoesNotTakeIsNamed() async throws {
    let log = LogLines()
    let pages = [28, 20].map { count in
      { @Sendable in HTTPPage(contentType: "text/plain", body: String(repeating: "x", count: count << 20)) }
    }
    try await withHost(
      configuration: .with { $0.http.unsentResponseBytes = 30 << 20 },
      pages: ["/much": pages[0], "/less": pages[1]],
      log: log
    ) { host in
      let much = try host.connect(from: "127.0.0.2")
      much.send("GET /much HTTP/1.1\r\nHost: localhost\r\n\r\n")
      try await waitUntil { await host.host.server.connections.unsentBytes != 0 }
      let less = try host.connect(from: "127.0.0.3")
      less.send("GET /less HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(less.message()?.body.utf8.count == 20 << 20)
      #expect(log.values(of: "from") == ["127.0.0.2"])
      #expect(much.message()?.body.utf8.count != 28 << 20)
    }
  }

  /// The same of who holds most of what isn't finished.
  @Test func whoIsClosedForAnUnfinishedRequestIsNamed() async throws {
    let log = LogLines()
    try await withHost(configuration: .with { $0.http.unfinishedBytes = 100_000 }, log: log) { host in
      let head = host.soap("SetVolume", String(repeating: " ", count: 60_000)).prefix { $0 != "<" }
      func post(_ bytes: Int, from source: String) throws -> RawSocket {
        let socket = try host.connect(from: source)
        socket.send(String(head) + String(repeating: " ", count: bytes))
        return socket
      }
      let much = try post(60_000, from: "127.0.0.2")
      try await waitUntil { await host.host.server.connections.unfinishedBytes >= 60_000 }
      let less = try post(50_000, from: "127.0.0.3")
      try await waitUntil { !log.values(of: "from").isEmpty }
      #expect(log.values(of: "from") == ["127.0.0.2"])
      #expect(much.message() == nil)
      #expect(await host.host.server.connections.unfinishedBytes >= 50_000, "who holds less stays")
      withExtendedLifetime(less) {}
    }
  }

  @Test func aLongRequestLineIsRefusedEarly() async throws {
    try await withHost { host in
      let socket = try host.connect()
      let start = ContinuousClock.now
      socket.send("GET /")
      let megabyte = [UInt8](repeating: 0x61, count: 1 << 20)
      for _ in 0..<8 where !socket.send(megabyte) { break }
      #expect(socket.message()?.status == 414)
      #expect(ContinuousClock.now - start < .seconds(8))
      #expect(try othersAreServed(host))
    }
  }

  @Test func aLargeBodyIsRefusedByItsLength() async throws {
    try await withHost { host in
      let head =
        "POST \(host.path)/RenderingControl/control HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
      let socket = try host.connect()
      socket.send(head + "Content-Length: 104857600\r\n\r\n")
      let reply = try #require(socket.message())
      #expect(reply.status == 413)
      #expect(reply["connection"] == "close")
      #expect(socket.endsInTime())
      let chunked = try host.connect()
      chunked.send(head + "SOAPACTION: \"urn:a#B\"\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nabc")
      #expect(chunked.message()?.status == 413)
      #expect(await host.host.statistics.refusals[.tooLarge] == 2)
    }
  }

  @Test func unfinishedBodiesTogetherAreBounded() async throws {
    try await withHost(configuration: .with { $0.http.unfinishedBytes = 300_000 }) { host in
      let request = host.soap("SetTitle", "<Title>\(String(repeating: "x", count: 200_000))</Title>")
      let first = try host.connect()
      first.send(String(request.dropLast(10)))
      let small = try host.exchange(host.soap("SetTitle", "<Title>small</Title>"))
      #expect(small.status == 200)
      let second = try host.connect()
      second.send(String(request.dropLast(20000)))
      // One of the two had to go, and it's the larger one.
      #expect(first.endsInTime())
      second.send(String(request.suffix(20000)))
      #expect(second.message()?.status == 200)
    }
  }

  @Test func aSlowHeadHasOneDeadline() async throws {
    try await withHost(configuration: .with { $0.http.headSeconds = 1 }) { host in
      let socket = try host.connect()
      let silent = try host.connect()
      let start = ContinuousClock.now
      // A byte now and then doesn't buy more time.
      socket.send("GET / HTTP/1.1\r\n")
      let trickle = Thread {
        while socket.send("x") { usleep(100_000) }
      }
      trickle.start()
      let reply = socket.message()
      #expect(reply?.status == 408)
      #expect(ContinuousClock.now - start < .seconds(6))
      #expect(silent.endsInTime())
    }
  }

  @Test func aSlowBodyHasOneDeadline() async throws {
    try await withHost(configuration: .with { $0.http.bodySeconds = 1 }) { host in
      let socket = try host.connect()
      let request = host.soap("SetTitle", "<Title>\(String(repeating: "x", count: 10_000))</Title>")
      let start = ContinuousClock.now
      socket.send(String(request.dropLast(9000)))
      // A byte now and then doesn't buy more time, and never completes the body.
      let trickle = Thread {
        while socket.send("x") { usleep(100_000) }
      }
      trickle.start()
      #expect(socket.message()?.status == 408)
      // Well before the time for a head would be over.
      #expect(ContinuousClock.now - start < .seconds(6))
      #expect(socket.endsInTime())
      #expect(await host.host.statistics.refusals[.timeout] == 1)
    }
  }

  @Test func anIdleConnectionEnds() async throws {
    try await withHost(configuration: .with { $0.http.keepAliveSeconds = 1 }) { host in
      let socket = try host.connect()
      socket.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(socket.message()?.status == 200)
      let start = ContinuousClock.now
      #expect(socket.endsInTime())
      #expect(ContinuousClock.now - start < .seconds(6))
    }
  }

  @Test func aResponseThatNobodyTakesEndsTheConnection() async throws {
    try await withHost(configuration: .with { $0.http.responseSeconds = 1 }) { host in
      let socket = try host.connect()
      socket.setTimeout(seconds: 5)
      let request = "GET \(host.path)/device.xml HTTP/1.1\r\nHost: localhost\r\n\r\n"
      // Until nothing fits any more, or the host has closed already.
      while socket.send(String(repeating: request, count: 100)) {}
      #expect(try othersAreServed(host))
      // What is left in between comes, and then the end: the host doesn't go on when somebody reads at last.
      #expect(socket.endsInTime())
      #expect(await host.host.statistics.refusals[.timeout] == 1)
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
    try await withHost { host in
      let socket = try host.connect()
      let get = "GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
      socket.send(
        String(
          repeating: host.soap("GetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel>") + get,
          count: 50))
      for _ in 0..<50 {
        #expect(socket.message()?.status == 200)
        #expect(socket.message()?.status == 404)
      }
    }
  }

  /// However much one connection asks in one go, another one waits for a few answers only.
  @Test func nobodyWaitsForAllThatSomebodyElseAsks() async throws {
    let order = Mutex<[String]>([])
    let page = { name in
      { @Sendable in
        order.withLock { $0.append(name) }
        return HTTPPage(contentType: "text/html", body: name)
      }
    }
    try await withHost(pages: ["/greedy": page("greedy"), "/modest": page("modest")]) { host in
      let greedy = try host.connect()
      let modest = try host.connect()
      func request(_ name: String) -> String { "GET /\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
      // Both connections are accepted before either asks, and the host looks at neither until both have asked.
      // The modest one first: the kernel may still have the last one at the head of its list.
      modest.send(request("greedy"))
      #expect(modest.message()?.status == 200)
      greedy.send(request("greedy"))
      #expect(greedy.message()?.status == 200)
      order.withLock { $0 = [] }
      let hold = await host.holdLoop()
      greedy.send(String(repeating: request("greedy"), count: 200))
      modest.send(request("modest"))
      hold.signal()
      #expect(modest.message()?.status == 200)
      for _ in 0..<200 { #expect(greedy.message()?.status == 200) }
      let place = try #require(order.withLock { $0.firstIndex(of: "modest") })
      #expect(place <= 2 * HTTPLimits().pipelineDepth)
    }
  }

  @Test func keepAliveAndClose() async throws {
    try await withHost { host in
      let socket = try host.connect()
      socket.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(socket.message()?["connection"] == "keep-alive")
      socket.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(socket.message()?["connection"] == "close")
      #expect(socket.endsInTime())
      let old = try host.connect()
      old.send("GET / HTTP/1.0\r\n\r\n")
      #expect(old.message()?.status == 200)
      #expect(old.endsInTime())
      let half = try host.connect()
      half.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      half.closeOutput()
      #expect(half.message()?.status == 200)
      #expect(half.endsInTime())
    }
  }

  @Test func expectContinueIsAnsweredOrRefused() async throws {
    try await withHost { host in
      let request = host.soap("Fail", "", "Expect: 100-continue\r\n")
      let end = try #require(request.firstRange(of: "\r\n\r\n")).upperBound
      let socket = try host.connect()
      socket.send(String(request[..<end]))
      #expect(socket.message()?.status == 100)
      socket.send(String(request[end...]))
      #expect(socket.message()?.status == 500)
      let refused = try host.connect()
      refused.send(
        "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
      #expect(refused.message()?.status == 404, "no body is asked for that nobody wants")
      #expect(refused.endsInTime())
    }
  }

  @Test(arguments: [("GET", "/", 403), ("POST", "/x", 412), ("SUBSCRIBE", "/x", 400)])
  func foreignHostNamesAreRefused(method: String, path: String, status: Int) async throws {
    try await withHost { host in
      let reply = try host.exchange(
        "\(method) \(path) HTTP/1.1\r\nHost: evil.example:\(host.port)\r\nContent-Length: 0\r\n\r\n")
      #expect(reply.status == status)
      #expect(await host.host.statistics.refusals[.foreignHost] == 1)
    }
  }

  @Test func garbageIsRefused() async throws {
    try await withHost { host in
      let reply = try host.exchange("\u{16}\u{3}\u{1}garbage\r\n\r\n")
      #expect(reply.status == 400)
      #expect(try othersAreServed(host))
    }
  }

  @Test func manyLargeUnfinishedBodiesLeaveRoomForAFew() async throws {
    try await withHost { host in
      let request = host.soap("SetTitle", "<Title>\(String(repeating: "x", count: 200_000))</Title>")
      let sockets = try (0..<20).map { _ in try host.connect() }
      for socket in sockets { socket.send(String(request.dropLast(10))) }
      func answered() -> Int { sockets.filter(\.hasSomething).count }
      // Two fit into 512 kB, whichever they are.
      try await waitUntil { answered() == 18 }
      #expect(await host.host.server.connections.unfinishedBytes <= HTTPLimits().unfinishedBytes)
      #expect(try othersAreServed(host))
      #expect(answered() == 18)
    }
  }

  @Test func shutdownEndsEverything() async throws {
    try await withHost { host in
      let socket = try host.connect()
      socket.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(socket.message()?.status == 200)
      await host.host.shutdown()
      #expect(socket.endsInTime())
      // Another test may have the port by now; this host answers nobody there.
      let served = await host.host.statistics.requests
      if let stranger = try? host.connect() {
        stranger.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        _ = stranger.endsInTime()
      }
      #expect(await host.host.statistics.requests == served)
    }
  }
}
