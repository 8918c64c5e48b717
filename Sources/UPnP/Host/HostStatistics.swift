import HTTP

/// Counters of a host, for metrics.
public struct HostStatistics: Sendable, Hashable {
  /// Requests answered, with any status.
  public internal(set) var requests = 0
  /// Connections that are open now.
  public internal(set) var connections = 0
  /// Current subscriptions, without those that have expired.
  public internal(set) var subscriptions = 0
  /// Event messages that subscribers accepted.
  public internal(set) var eventsDelivered = 0
  /// Event messages that a subscriber refused, that timed out, or that reached no subscriber.
  public internal(set) var eventsFailed = 0
  /// Subscriptions that ended because their subscriber was gone.
  public internal(set) var subscriptionsDropped = 0
  /// Refusals by reason.
  public internal(set) var refusals: [RefusalReason: Int] = [:]

  public init() {}

  mutating func add(_ other: HostStatistics) {
    requests += other.requests
    connections += other.connections
    subscriptions += other.subscriptions
    eventsDelivered += other.eventsDelivered
    eventsFailed += other.eventsFailed
    subscriptionsDropped += other.subscriptionsDropped
    refusals.merge(other.refusals, uniquingKeysWith: +)
  }
}
