import NIOCore
import Network

/// Limits the time for requests in one turn of the event loop, and queues those that come too late; pure logic.
///
/// The addresses take turns, one request each. So an address that sends a thousand requests at once makes each other
/// address wait for only a few of them.
struct RequestTurns {
  /// The time for requests in one turn; a request that has begun is still finished.
  static let length = TimeAmount.milliseconds(2)

  private(set) var queue = AddressTurns<@Sendable () -> Void>()
  /// The end of the time for requests in this turn; nil before the first request.
  private(set) var end: NIODeadline?

  /// True when a request that has just arrived may be answered at once; otherwise it is queued.
  mutating func hasTime(now: NIODeadline) -> Bool {
    guard queue.isEmpty else { return false }
    let end = end ?? now + Self.length
    self.end = end
    return now < end
  }

  /// Records that all sockets have been polled.
  mutating func endOfSockets() { end = nil }

  mutating func add(_ request: @escaping @Sendable () -> Void, of address: IPAddress) {
    queue.add(request, for: address)
  }

  mutating func answered(_ address: IPAddress) { queue.worked(for: address, isLast: true) }
}
