/// Counts of what a host has done, for metrics.
public struct HostStatistics: Sendable, Hashable {
  /// Requests that were answered, whatever the answer.
  public internal(set) var requests = 0
  /// Actions performed, failed ones included.
  public internal(set) var actions = 0
  /// Actions that were answered with a UPnP error.
  public internal(set) var faults = 0
  /// Connections open now.
  public internal(set) var connections = 0
  /// Subscriptions now; those that have expired since the last event count still.
  public internal(set) var subscriptions = 0
  /// Event messages that subscribers took.
  public internal(set) var eventsDelivered = 0
  /// Event messages that were refused, timed out, or found nobody.
  public internal(set) var eventsFailed = 0
  /// Subscriptions that ended because their subscriber was gone.
  public internal(set) var subscriptionsDropped = 0
  /// What was refused, by reason.
  public internal(set) var refusals: [Refusal: Int] = [:]

  public init() {}
}
