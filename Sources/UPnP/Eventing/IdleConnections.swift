import NIOCore
import Network

/// The remote end of a connection to a subscriber.
struct SubscriberEndpoint: Sendable, Hashable {
  var address: IPAddress
  var port: Int
  /// Index of the interface, for link-local addresses.
  var interface: Int?
}

/// Open, idle connections to subscribers, limited in number and time; the most recently used one is taken first.
struct IdleConnections<Connection: AnyObject> {
  private struct IdleConnection {
    var connection: Connection
    var since: NIODeadline
  }

  private let limit: Int
  private let time: TimeAmount
  private var kept: [SubscriberEndpoint: [IdleConnection]] = [:]
  private(set) var count = 0
  /// Endpoints that left a message on a kept connection unanswered; they get a new connection each time.
  private var distrusted: Set<SubscriberEndpoint> = []
  private static var mostDistrusted: Int { 256 }

  init(limit: Int, time: TimeAmount) {
    self.limit = time > .zero ? limit : 0
    self.time = time
  }

  /// False when a connection to `endpoint` should be closed after its response.
  func mayKeep(_ endpoint: SubscriberEndpoint) -> Bool { limit > 0 && !distrusted.contains(endpoint) }

  /// Takes the most recently used connection to `endpoint`; nil when there is none.
  mutating func take(_ endpoint: SubscriberEndpoint) -> Connection? {
    guard let last = kept[endpoint]?.popLast() else { return nil }
    if kept[endpoint]?.isEmpty == true { kept[endpoint] = nil }
    count -= 1
    return last.connection
  }

  /// Keeps a connection; returns false when there is no room for it.
  mutating func keep(_ connection: Connection, to endpoint: SubscriberEndpoint, now: NIODeadline) -> Bool {
    guard count < limit, mayKeep(endpoint) else { return false }
    kept[endpoint, default: []].append(IdleConnection(connection: connection, since: now))
    count += 1
    return true
  }

  /// Removes a connection that has closed.
  mutating func remove(_ connection: Connection, to endpoint: SubscriberEndpoint) {
    guard let index = kept[endpoint]?.firstIndex(where: { $0.connection === connection }) else { return }
    kept[endpoint]?.remove(at: index)
    if kept[endpoint]?.isEmpty == true { kept[endpoint] = nil }
    count -= 1
  }

  /// Stops keeping connections to `endpoint`; removes and returns the existing ones.
  mutating func distrust(_ endpoint: SubscriberEndpoint) -> [Connection] {
    if distrusted.count >= Self.mostDistrusted { distrusted.removeAll() }
    distrusted.insert(endpoint)
    return removeAll(to: endpoint)
  }

  /// Removes and returns the connections to `endpoint`.
  mutating func removeAll(to endpoint: SubscriberEndpoint) -> [Connection] {
    let dropped = kept.removeValue(forKey: endpoint) ?? []
    count -= dropped.count
    return dropped.map(\.connection)
  }

  /// Removes and returns the connections whose time is over.
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

  /// Removes and returns all connections.
  mutating func removeAll() -> [Connection] {
    let all = kept.values.joined().map(\.connection)
    kept.removeAll()
    count = 0
    return all
  }
}
