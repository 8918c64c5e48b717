import NIOCore

/// Who waits to be sent a large message, and who is being sent one: a few at a time, and of one address half of them, so that
/// megabytes for subscribers that don't read take neither the daemon's memory nor other subscribers' turn.
struct LargeDeliveries: Sendable {
  struct Running: Sendable {
    var token: Int
    var address: IPAddress
    /// From here on it may be given up for others that wait.
    var yields: NIODeadline
  }

  private let limit: Int
  private var waiting: [(sid: SID, address: IPAddress)] = []
  private var running: [Running] = []

  /// - Parameter limit: how many may be on their way.
  init(limit: Int) { self.limit = limit }

  /// True when a message to `address` may start.
  func isFree(_ address: IPAddress) -> Bool {
    running.count < limit && running.count { $0.address == address } < max(1, limit / 2)
  }

  /// Has `sid` wait for its turn.
  mutating func putOff(_ sid: SID, _ address: IPAddress) { waiting.append((sid, address)) }

  /// The next whose message may start; nil when there is none.
  mutating func next() -> SID? {
    waiting.firstIndex { isFree($0.address) }.map { waiting.remove(at: $0).sid }
  }

  mutating func start(_ entry: Running) { running.append(entry) }

  mutating func end(_ token: Int) { running.removeAll { $0.token == token } }

  /// `sid` doesn't wait any more.
  mutating func forget(_ sid: SID) { waiting.removeAll { $0.sid == sid } }

  /// Ends the waiting of all, since their messages are others now, and returns them.
  mutating func takeWaiting() -> [SID] {
    defer { waiting = [] }
    return waiting.map(\.sid)
  }

  /// Those that somebody else waits for.
  var inTheWay: [Running] {
    guard !waiting.isEmpty else { return [] }
    guard running.count < limit else { return running }
    return running.filter { entry in waiting.contains { $0.address == entry.address } }
  }
}
