import NIOCore
import Network

/// Limits the large messages that are sent at a time: a few in total, and half of them to one address.
///
/// So megabytes for subscribers that don't read can't use up the daemon's memory or hold up other subscribers.
struct LargeDeliveries: Sendable {
  struct Running: Sendable {
    var token: Int
    var address: IPAddress
    /// From this time on, it may be given up in favour of others that wait.
    var yields: NIODeadline
  }

  private let limit: Int
  private var waiting: [(sid: SID, address: IPAddress)] = []
  private var running: [Running] = []

  /// Makes an empty set.
  ///
  /// - Parameter limit: how many may run at a time.
  init(limit: Int) { self.limit = limit }

  /// True when a large message to `address` may start.
  func isFree(_ address: IPAddress) -> Bool {
    running.count < limit && running.count { $0.address == address } < max(1, limit / 2)
  }

  /// Puts `sid` on the waiting list.
  mutating func putOff(_ sid: SID, _ address: IPAddress) { waiting.append((sid, address)) }

  /// Takes the next subscriber whose message may start; nil when there is none.
  mutating func next() -> SID? {
    waiting.firstIndex { isFree($0.address) }.map { waiting.remove(at: $0).sid }
  }

  mutating func start(_ entry: Running) { running.append(entry) }

  mutating func end(_ token: Int) { running.removeAll { $0.token == token } }

  /// Takes `sid` off the waiting list.
  mutating func forget(_ sid: SID) { waiting.removeAll { $0.sid == sid } }

  /// Takes all subscribers off the waiting list and returns them, since their messages have changed.
  mutating func takeWaiting() -> [SID] {
    defer { waiting = [] }
    return waiting.map(\.sid)
  }

  /// The running deliveries that keep another one from starting.
  var blockingDelivery: [Running] {
    guard !waiting.isEmpty else { return [] }
    guard running.count < limit else { return running }
    return running.filter { entry in waiting.contains { $0.address == entry.address } }
  }
}
