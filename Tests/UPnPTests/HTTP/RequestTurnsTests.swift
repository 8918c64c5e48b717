import NIOCore
import Network
import Synchronization
import Testing

@testable import HTTP
@testable import UPnP

@Suite struct RequestTurnsTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  private let one = IPAddress.v4(1)
  private let other = IPAddress.v4(2)

  @Test func aTurnHasItsTime() {
    var turns = RequestTurns()
    let times: [TimeAmount] = [
      .zero, RequestTurns.length - .nanoseconds(1), RequestTurns.length, .seconds(1),
    ]
    let answers = times.map { turns.hasTime(now: start + $0) }
    #expect(answers == [true, true, false, false])
    turns.endOfSockets()
    let isNext = turns.hasTime(now: start + .seconds(1))
    #expect(isNext)
  }

  @Test func nobodyPassesThoseWhoWait() throws {
    var turns = RequestTurns()
    for address in [one, one, other] { turns.add({}, of: address) }
    let passes = turns.hasTime(now: start)
    #expect(!passes)
    var order: [IPAddress] = []
    while let next = turns.queue.next {
      order.append(next.address)
      // What comes behind it on the same connection waits again, behind the other.
      if order.count == 1 { turns.add({}, of: one) }
      turns.answered(next.address)
    }
    #expect(order == [one, other, one, one])
    let hasTime = turns.hasTime(now: start)
    #expect(hasTime)
  }

  /// Requests that take long, on many connections that all have something in the same turn.
  @Test func whoAsksForMuchOnManyConnectionsHoldsUpNobody() async throws {
    let order = Mutex<[String]>([])
    let slow = { @Sendable in
      order.withLock { $0.append("slow") }
      // A whole turn.
      let end = NIODeadline.now() + RequestTurns.length
      while .now() < end {}
      return HTTPPage(contentType: "text/html", body: "")
    }
    let quick = { @Sendable in
      order.withLock { $0.append("quick") }
      return HTTPPage(contentType: "text/html", body: "")
    }
    try await withHost(pages: ["/slow": slow, "/quick": quick]) { host in
      func request(_ name: String) -> String { "GET /\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
      let greedy = try (0..<40).map { _ in try host.connect() }
      let modest = try host.connect(from: "127.0.0.2")
      // The kernel may still have the last one at the head of its list, so that isn't the modest one.
      for socket in [modest] + greedy {
        socket.send(request("quick"))
        #expect(socket.message()?.status == 200)
      }
      order.withLock { $0 = [] }
      let hold = await host.holdLoop()
      for socket in greedy { socket.send(request("slow")) }
      modest.send(request("quick"))
      hold.signal()
      #expect(modest.message()?.status == 200)
      for socket in greedy { #expect(socket.message()?.status == 200) }
      // One in the turn of the sockets, and one of the other address before it in the next.
      let place = try #require(order.withLock { $0.firstIndex(of: "quick") })
      #expect(place <= 2)
    }
  }
}
