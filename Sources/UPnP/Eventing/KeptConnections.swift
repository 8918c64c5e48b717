import NIOCore

/// Where a connection to a subscriber leads.
struct SubscriberEndpoint: Sendable, Hashable {
  var address: IPAddress
  var port: Int
  /// Index of the interface, for link-local addresses.
  var interface: Int?
}

/// Connections to subscribers that are open and have nothing to do, the last used ones first; a bounded number, for a
/// bounded time.
struct KeptConnections<Connection: AnyObject> {
  private struct Kept {
    var connection: Connection
    var since: NIODeadline
  }

  private let limit: Int
  private let time: TimeAmount
  private var kept: [SubscriberEndpoint: [Kept]] = [:]
  private(set) var count = 0
  /// Those that left a message on a kept connection without an answer: they get a new one each time.
  private var distrusted: Set<SubscriberEndpoint> = []
  private static var mostDistrusted: Int { 256 }

  init(limit: Int, time: TimeAmount) {
    self.limit = time > .zero ? limit : 0
    self.time = time
  }

  /// False when a connection to `endpoint` should be closed behind its answer.
  func mayKeep(_ endpoint: SubscriberEndpoint) -> Bool { limit > 0 && !distrusted.contains(endpoint) }

  /// Takes the connection to `endpoint` that was used last; nil when there is none.
  mutating func take(_ endpoint: SubscriberEndpoint) -> Connection? {
    guard let last = kept[endpoint]?.popLast() else { return nil }
    if kept[endpoint]?.isEmpty == true { kept[endpoint] = nil }
    count -= 1
    return last.connection
  }

  /// Keeps a connection; false when there is no room for it.
  mutating func keep(_ connection: Connection, to endpoint: SubscriberEndpoint, now: NIODeadline) -> Bool {
    guard count < limit, mayKeep(endpoint) else { return false }
    kept[endpoint, default: []].append(Kept(connection: connection, since: now))
    count += 1
    return true
  }

  /// Forgets a connection that has ended.
  mutating func remove(_ connection: Connection, to endpoint: SubscriberEndpoint) {
    guard let index = kept[endpoint]?.firstIndex(where: { $0.connection === connection }) else { return }
    kept[endpoint]?.remove(at: index)
    if kept[endpoint]?.isEmpty == true { kept[endpoint] = nil }
    count -= 1
  }

  /// Keeps no connection to `endpoint` any more, and returns those that there are.
  mutating func distrust(_ endpoint: SubscriberEndpoint) -> [Connection] {
    if distrusted.count >= Self.mostDistrusted { distrusted.removeAll() }
    distrusted.insert(endpoint)
    let dropped = kept.removeValue(forKey: endpoint) ?? []
    count -= dropped.count
    return dropped.map(\.connection)
  }

  /// Forgets the connections whose time is over, and returns them.
  mutating func expire(now: NIODeadline) -> [Connection] {
    var expired: [Connection] = []
    for (endpoint, connections) in kept {
      let rest = connections.filter { now - $0.since < time }
      guard rest.count < connections.count else { continue }
      expired += connections.filter { now - $0.since >= time }.map(\.connection)
      kept[endpoint] = rest.isEmpty ? nil : rest
    }
    count -= expired.count
    return expired
  }

  /// Forgets all, and returns them.
  mutating func removeAll() -> [Connection] {
    let all = kept.values.joined().map(\.connection)
    kept.removeAll()
    count = 0
    return all
  }
}
