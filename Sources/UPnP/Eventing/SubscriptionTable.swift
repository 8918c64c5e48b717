import NIOCore
import Network

/// A service's values at one moment.
struct EventSnapshot: Sendable, Hashable {
  /// Increases with every change of the values.
  var version: Int
  var values: [EventedValue]
}

/// One subscription to one service.
struct Subscription: Sendable {
  enum Phase: Sendable, Hashable {
    /// The response to SUBSCRIBE hasn't been sent yet.
    case unanswered
    /// Has received everything, or waits for the next change.
    case quiet
    /// Waits for its turn; the message is built only then, so that it carries the latest values.
    case queued
    case sending(token: Int, carries: EventSnapshot)
    /// Couldn't be reached and is owed the current state; ``RetrySchedule`` holds the time of the next try.
    case waiting
  }

  let id: SID
  var sidFormat = SIDFormat.uuid
  /// Further header fields of its messages, as lines with a line feed in front.
  var fields = ""
  /// Each message has a connection of its own.
  var closes = false
  let service: ServiceKey
  let subscriber: IPAddress
  /// Callback URLs in the order in which they are tried.
  let callbacks: [CallbackURL]
  /// Index of the interface that the subscription arrived on, for link-local addresses.
  let interface: Int?
  var expires: NIODeadline
  /// SEQ of the next message.
  var sequence: UInt32 = 0
  var phase = Phase.unanswered
  /// The values that the subscriber has received; nil before its first event, and after a message that may be lost.
  var known: EventSnapshot?
  /// Deliveries in a row that didn't reach the subscriber.
  var tries = 0
  /// ``tries`` without local failures.
  var failures = 0
  /// ``failures`` at the first renewal since the last delivery that reached the subscriber.
  var failuresWhenRenewed: Int?
  /// The last delivery took long, so others go first.
  var isSlow = false

  /// The URLs for the next message, which goes to the first that accepts it.
  ///
  /// While none can be reached, each try uses only the next URL in turn. Otherwise many subscriptions with many URLs
  /// would cause thousands of connections a second.
  var nextCallbacks: [CallbackURL] {
    guard tries > 0, !callbacks.isEmpty else { return callbacks }
    return [callbacks[(tries - 1) % callbacks.count]]
  }

  /// Resets the failure counters, after a message has reached the subscriber.
  mutating func wasReached() {
    tries = 0
    failures = 0
    failuresWhenRenewed = nil
  }

  /// Returns SEQ for a new message; only the first message has 0, so the counter wraps to 1.
  mutating func takeSequence() -> UInt32 {
    defer { sequence = sequence == .max ? 1 : sequence + 1 }
    return sequence
  }
}

/// The limit that keeps a subscription from being accepted.
enum SubscriptionRefusal: Error, Sendable, Hashable {
  case total
  case perAddress
}

/// All subscriptions, with their expiry and limits.
struct SubscriptionTable: Sendable {
  private let limits: EventLimits
  private var entries: [SID: Subscription] = [:]
  /// Subscriptions of each service, in the order of subscribing.
  private var order: [ServiceKey: [SID]] = [:]
  private var perAddress: [IPAddress: Int] = [:]
  /// No subscription expires before this time.
  private var nearestExpiry = NIODeadline.distantFuture

  init(limits: EventLimits) { self.limits = limits }

  /// The number of subscriptions, including expired ones that haven't been removed yet.
  var count: Int { entries.count }

  /// The number of subscriptions that haven't expired.
  func count(at now: NIODeadline) -> Int { entries.values.count { $0.expires > now } }

  subscript(id: SID) -> Subscription? { entries[id] }

  func subscribers(of service: ServiceKey) -> [SID] { order[service] ?? [] }

  /// All that haven't expired, by address and name of the service.
  func subscribers(at now: NIODeadline) -> [(address: IPAddress, service: String)] {
    entries.values.filter { $0.expires > now }.map { ($0.subscriber, $0.service.name) }
  }

  func hasSubscribers(_ service: ServiceKey) -> Bool { order[service] != nil }

  /// Adds a subscription; call ``expire(now:)`` first, so that expired ones don't count against the limits.
  mutating func add(_ subscription: Subscription) throws(SubscriptionRefusal) {
    guard perAddress[subscription.subscriber, default: 0] < limits.subscriptionsPerAddress else {
      throw .perAddress
    }
    guard entries.count < limits.subscriptions else { throw .total }
    entries[subscription.id] = subscription
    order[subscription.service, default: []].append(subscription.id)
    perAddress[subscription.subscriber, default: 0] += 1
    nearestExpiry = min(nearestExpiry, subscription.expires)
  }

  /// Sets a new expiry; false when the service has no such subscription any more.
  mutating func renew(_ id: SID, of service: ServiceKey, until expires: NIODeadline, now: NIODeadline) -> Bool
  {
    guard let entry = entries[id], entry.service == service, entry.expires > now else { return false }
    entries[id]?.expires = expires
    nearestExpiry = min(nearestExpiry, expires)
    return true
  }

  /// Changes a subscription in place; does nothing when it is gone.
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

  /// Removes and returns the expired subscriptions.
  mutating func expire(now: NIODeadline) -> [Subscription] {
    guard now >= nearestExpiry else { return [] }
    let dead = entries.values.filter { $0.expires <= now }
    for entry in dead { remove(entry.id) }
    nearestExpiry = entries.values.map(\.expires).min() ?? .distantFuture
    return dead
  }

  /// Removes and returns all subscriptions except those to `services`.
  mutating func removeAll(except services: Set<ServiceKey> = []) -> [Subscription] {
    let dead = entries.values.filter { !services.contains($0.service) }
    for entry in dead { remove(entry.id) }
    return dead
  }
}
