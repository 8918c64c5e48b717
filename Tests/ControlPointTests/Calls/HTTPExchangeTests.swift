import HTTP
import NIOCore
import NIOPosix
import Testing

@testable import ControlPoint

@Suite struct HTTPExchangeTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
  private static let get = ExchangeRequest("GET")
  private static let post = ExchangeRequest("POST", body: ByteBuffer(string: "x"))

  /// The test's machine may be slow.
  private static var patient: ExchangeLimits {
    var limits = ExchangeLimits()
    limits.keptSeconds = 60
    return limits
  }

  private func failure(
    _ body: () async throws(ActionFailure) -> ClientResponse
  ) async -> ActionFailure? {
    do throws(ActionFailure) {
      _ = try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test func requestAndResponse() async throws {
    try await withServer(.script { _ in [.send(Self.ok)] }) { exchange, server in
      let request = ExchangeRequest(
        "POST", fields: [HTTPField("SOAPACTION", "\"x\"")], body: ByteBuffer(string: "body"))
      let response = try await exchange.exchange(
        request, to: server.address("/a?b"), deadline: .seconds(60), limit: 10)
      #expect(response.status == 200)
      #expect(String(buffer: response.body) == "ok")
      let sent = try #require(server.requests.first)
      #expect(
        sent.head.split(separator: "\r\n") == [
          "POST /a?b HTTP/1.1", "HOST: 127.0.0.1:\(server.port)", "SOAPACTION: \"x\"",
          "USER-AGENT: Linux UPnP/1.1 test/1", "CONTENT-LENGTH: 4",
        ])
      #expect(sent.body == "body")
    }
  }

  @Test func aConnectionIsUsedAgain() async throws {
    try await withServer(limits: Self.patient, .script { _ in [.send(Self.ok)] }) { exchange, server in
      for _ in 0..<5 {
        _ = try await exchange.exchange(Self.get, to: server.address(), deadline: .seconds(60), limit: 10)
      }
      #expect(server.connections == 1)
      #expect(server.requests.count == 5)
    }
  }

  /// Many devices close a connection behind each response without saying so: what is sent into that moment is lost.
  @Test func whatMustNotBeSentTwiceGetsAConnectionOfItsOwn() async throws {
    try await withServer(limits: Self.patient, .script { _ in [.send(Self.ok)] }) { exchange, server in
      for _ in 0..<5 {
        _ = try await exchange.exchange(Self.post, to: server.address(), deadline: .seconds(60), limit: 10)
      }
      #expect(server.connections == 5)
      #expect(server.requests.count == 5)
    }
  }

  /// The device closes after each response and doesn't say so.
  @Test func onlyWhatDoesNoHarmIsSentTwice() async throws {
    for (request, isRepeated) in [(Self.get, true), (Self.post, false)] {
      try await withServer(limits: Self.patient, .script { $0.number == 1 ? [.close] : [.send(Self.ok)] }) {
        exchange, server in
        _ = try await exchange.exchange(request, to: server.address(), deadline: .seconds(60), limit: 10)
        let second = await failure { () async throws(ActionFailure) in
          try await exchange.exchange(request, to: server.address(), deadline: .seconds(60), limit: 10)
        }
        #expect(second == (isRepeated ? nil : .unreachable))
        #expect(server.requests.count == (isRepeated ? 3 : 2))
      }
    }
  }

  @Test func onANewConnectionNothingIsSentTwice() async throws {
    try await withServer(.script { _ in [.close] }) { exchange, server in
      let first = await failure { () async throws(ActionFailure) in
        try await exchange.exchange(Self.get, to: server.address(), deadline: .seconds(60), limit: 10)
      }
      #expect(first == .unreachable)
      #expect(server.requests.count == 1)
    }
  }

  @Test func aResponseThatBeganIsNotAskedForAgain() async throws {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"
    for end in [ScriptedServer.Step.close, .reset] {
      try await withServer(
        limits: Self.patient,
        .script {
          $0.number == 0 ? [.send(Self.ok)] : [.send(half), .pause(milliseconds: 500), end]
        }
      ) {
        exchange, server in
        _ = try await exchange.exchange(Self.get, to: server.address(), deadline: .seconds(60), limit: 10)
        let second = await failure { () async throws(ActionFailure) in
          try await exchange.exchange(Self.get, to: server.address(), deadline: .seconds(60), limit: 10)
        }
        #expect(second == .unreachable)
        #expect(server.requests.count == 2)
      }
    }
  }

  @Test func theDeadlineHoldsHoweverSlowlyBytesCome() async throws {
    let drops = (0..<3000).flatMap { _ in
      [ScriptedServer.Step.send("x"), .pause(milliseconds: 20)]
    }
    try await withServer(.script { _ in [.send("HTTP/1.1 200 OK\r\n\r\n")] + drops }) { exchange, server in
      let start = ContinuousClock.now
      let slow = await failure { () async throws(ActionFailure) in
        try await exchange.exchange(
          Self.get, to: server.address(), deadline: .milliseconds(200), limit: 100_000)
      }
      #expect(slow == .timeout)
      #expect(ContinuousClock.now - start < .seconds(30))
      #expect(await ScriptedServer.eventually { server.open == 0 })
    }
  }

  @Test func cancellingClosesTheConnection() async throws {
    try await withServer(.script { _ in [] }) { exchange, server in
      let address = server.address()
      let task = Task { () async -> ActionFailure? in
        await failure { () async throws(ActionFailure) in
          try await exchange.exchange(Self.get, to: address, deadline: .seconds(60), limit: 10)
        }
      }
      #expect(await ScriptedServer.eventually { server.requests.count == 1 })
      task.cancel()
      #expect(await task.value == .cancelled)
      #expect(await ScriptedServer.eventually { server.open == 0 })
      let never = Task { () async -> ActionFailure? in
        withUnsafeCurrentTask { $0?.cancel() }
        return await failure { () async throws(ActionFailure) in
          try await exchange.exchange(Self.get, to: address, deadline: .seconds(60), limit: 10)
        }
      }
      #expect(await never.value == .cancelled)
      #expect(server.requests.count == 1)
    }
  }

  @Test func whatIsTooLargeIsNotRead() async throws {
    let piece = String(repeating: "x", count: 1000)
    let endless = (0..<10000).flatMap { _ in [ScriptedServer.Step.send(piece), .pause(milliseconds: 1)] }
    try await withServer(.script { _ in [.send("HTTP/1.1 200 OK\r\n\r\n")] + endless }) { exchange, server in
      let large = await failure { () async throws(ActionFailure) in
        try await exchange.exchange(Self.get, to: server.address(), deadline: .seconds(30), limit: 10_000)
      }
      #expect(large == .tooLarge)
      #expect(await ScriptedServer.eventually { server.open == 0 })
    }
  }

  @Test func nobodyThere() async throws {
    try await withServer(.script { _ in [] }) { exchange, server in
      let port = server.port
      await server.stop()
      for address in [
        ServiceAddress(address: .v4(0x7f00_0001), port: port, target: "/"),
        ServiceAddress(address: .v4(0x7f00_0001), port: 0, target: "/"),
        ServiceAddress(address: .v4(0x7f00_0001), port: port, target: "/ HTTP/1.1\r\nX: y"),
      ] {
        let refused = await failure { () async throws(ActionFailure) in
          try await exchange.exchange(Self.get, to: address, deadline: .seconds(60), limit: 10)
        }
        #expect(refused == .unreachable)
      }
    }
  }

  /// Devices answer SUBSCRIBE without a length and keep the connection open.
  @Test func subscribingWaitsForNoBody() async throws {
    try await withServer(.script { _ in [.send("HTTP/1.1 200 OK\r\nSID: uuid:1\r\n\r\n")] }) {
      exchange, server in
      let response = try await exchange.exchange(
        ExchangeRequest("SUBSCRIBE"), to: server.address(), deadline: .seconds(60), limit: 10)
      #expect(response.fields.first("sid") == "uuid:1")
    }
  }

  @Test func aStalledDeviceHoldsUpNobodyElse() async throws {
    var limits = ExchangeLimits()
    limits.parallel = 4
    limits.parallelPerEndpoint = 2
    limits.waiting = 3
    try await withServer(limits: limits, .script { _ in [] }) { exchange, stalled in
      let other = try await ScriptedServer.start(on: stalled.loop, .script { _ in [.send(Self.ok)] })
      let address = stalled.address()
      let tasks = (0..<6).map { _ in
        Task { () async -> ActionFailure? in
          await failure { () async throws(ActionFailure) in
            try await exchange.exchange(Self.get, to: address, deadline: .seconds(10), limit: 10)
          }
        }
      }
      #expect(await ScriptedServer.eventually { stalled.requests.count >= 2 })
      _ = try await exchange.exchange(Self.get, to: other.address(), deadline: .seconds(10), limit: 10)
      var failures: [ActionFailure?] = []
      for task in tasks { failures.append(await task.value) }
      #expect(failures.filter { $0 == .timeout }.count == 5)
      #expect(failures.filter { $0 == .unreachable }.count == 1)
      await other.stop()
    }
  }
}
