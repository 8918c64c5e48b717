import NIOCore

/// Values of a service at one moment.
struct EventSnapshot: Sendable, Hashable {
  /// Grows with every change of the values.
  var version: Int
  var values: [EventedValue]
}

/// One subscriber of one service.
struct Subscription: Sendable {
  enum Phase: Sendable, Hashable {
    /// The response to SUBSCRIBE hasn't left yet.
    case unanswered
    /// Knows everything, or waits for the next change.
    case quiet
    /// Has a message coming that isn't made yet, so that it can carry the latest values.
    case queued
    case sending(token: Int, carries: EventSnapshot)
  }

  let id: SID
  let service: ServiceKey
  let subscriber: IPAddress
  /// In the order in which they are tried.
  let callbacks: [CallbackURL]
  /// Index of the interface that the subscription came in on, for link-local addresses.
  let interface: Int?
  var expires: NIODeadline
  /// SEQ of the next message.
  var sequence: UInt32 = 0
  var phase = Phase.unanswered
  /// What the subscriber is known to have got; nil before its first event, and after one that may be lost.
  var known: EventSnapshot?
  /// Deliveries that timed out since the last one that didn't.
  var timeouts = 0
  /// The last delivery took long: others go first.
  var isSlow = false

  /// SEQ of the message that is made now; 0 stands for the first only, so the counter wraps to 1.
  mutating func takeSequence() -> UInt32 {
    defer { sequence = sequence == .max ? 1 : sequence + 1 }
    return sequence
  }
}

/// Why a subscription isn't accepted.
enum SubscriptionRefusal: Error, Sendable, Hashable {
  case total
  case perAddress
}

/// All subscriptions, with their expiry and limits.
struct SubscriptionTable: Sendable {
  private let limits: EventLimits
  private var entries: [SID: Subscription] = [:]
  /// In the order of subscribing.
  private var order: [ServiceKey: [SID]] = [:]
  private var perAddress: [IPAddress: Int] = [:]
  /// Nothing expires before.
  private var nearestExpiry = NIODeadline.distantFuture

  init(limits: EventLimits) { self.limits = limits }

  /// With those that have run out and that nobody has had to look for since.
  var count: Int { entries.count }

  /// Those that haven't run out.
  func count(at now: NIODeadline) -> Int { entries.values.count { $0.expires > now } }

  subscript(id: SID) -> Subscription? { entries[id] }

  func subscribers(of service: ServiceKey) -> [SID] { order[service] ?? [] }

  func hasSubscribers(_ service: ServiceKey) -> Bool { order[service] != nil }

  /// Adds a subscription; call ``expire(now:)`` first, so that dead ones take nobody's place.
  mutating func add(_ subscription: Subscription) throws(SubscriptionRefusal) {
    guard entries.count < limits.subscriptions else { throw .total }
    guard perAddress[subscription.subscriber, default: 0] < limits.subscriptionsPerAddress else {
      throw .perAddress
    }
    entries[subscription.id] = subscription
    order[subscription.service, default: []].append(subscription.id)
    perAddress[subscription.subscriber, default: 0] += 1
    nearestExpiry = min(nearestExpiry, subscription.expires)
  }

  /// Sets a new expiry; false when there is no such subscription to that service any more.
  mutating func renew(_ id: SID, of service: ServiceKey, until expires: NIODeadline, now: NIODeadline) -> Bool
  {
    guard let entry = entries[id], entry.service == service, entry.expires > now else { return false }
    entries[id]?.expires = expires
    nearestExpiry = min(nearestExpiry, expires)
    return true
  }

  /// Changes a subscription in place; nothing happens when it is gone.
  mutating func update(_ id: SID, _ change: (inout Subscription) -> Void) {
    guard let index = entries.index(forKey: id) else { return }
    change(&entries.values[index])
  }

  @discardableResult
  mutating func remove(_ id: SID) -> Subscription? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    order[entry.service]?.removeAll { $0 == id }
    if order[entry.service]?.isEmpty == true { order[entry.service] = nil }
    let others = perAddress[entry.subscriber, default: 1] - 1
    perAddress[entry.subscriber] = others > 0 ? others : nil
    return entry
  }

  /// Forgets what has expired, and returns it.
  mutating func expire(now: NIODeadline) -> [Subscription] {
    guard now >= nearestExpiry else { return [] }
    let dead = entries.values.filter { $0.expires <= now }
    for entry in dead { remove(entry.id) }
    nearestExpiry = entries.values.map(\.expires).min() ?? .distantFuture
    return dead
  }

  /// Forgets all, and those of other services than `services`, and returns them.
  mutating func removeAll(except services: Set<ServiceKey> = []) -> [Subscription] {
    let dead = entries.values.filter { !services.contains($0.service) }
    for entry in dead { remove(entry.id) }
    return dead
  }
}
