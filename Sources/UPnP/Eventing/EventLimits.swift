import Text

/// Limits on subscriptions and event delivery (UPnP Device Architecture, "Eventing").
public struct EventLimits: Sendable, Hashable {
  /// Subscriptions at the same time, over all services.
  public var subscriptions = 1024
  /// Subscriptions of one address at the same time.
  public var subscriptionsPerAddress = 512
  /// URLs in one CALLBACK header; more are refused.
  public var callbacksPerSubscription = 6
  /// The longest callback URL, in bytes.
  public var urlBytes = 256
  /// Timeout for connecting to a subscriber, in seconds.
  public var connectSeconds = 5
  /// Timeout for one event over all its URLs, in seconds.
  public var deliverySeconds = 30
  /// Limits of the granted timeout in seconds, whatever TIMEOUT asks for.
  public var minimumTimeout = 10
  public var maximumTimeout = 1800
  /// The timeout granted when TIMEOUT is missing or can't be parsed, in seconds.
  public var defaultTimeout = 1800
  /// Deliveries that run at the same time. One that takes longer than ``stallMilliseconds`` no longer counts, so
  /// subscribers that don't answer can't hold up the others.
  public var parallelDeliveries = 64
  public var stallMilliseconds = 100
  /// Stalled deliveries that may run in addition. When there are more, others wait, and those that have taken longer
  /// than ``stalledSecondsWhenBusy`` are given up.
  public var stalledDeliveries = 256
  public var stalledSecondsWhenBusy = 2
  /// A message of more than ``largeBytes`` is large. At most ``largeDeliveries`` of them run at a time, stalled or not,
  /// and at most half as many to one address.
  public var largeBytes = 128 * 1024
  public var largeDeliveries = 4
  /// Connections to subscribers that stay open after a response, if the subscriber allows it; 0 for none.
  public var keptConnections = 64
  /// Seconds that such a connection waits for the next message; 0 keeps none.
  public var keptSeconds = 3
  /// Only a subscriber that answers within this time is sent another message on the same connection.
  public var promptMilliseconds = 500
  /// Seconds until a message on a kept connection is given up, and the next one sent on a new connection.
  public var reuseSeconds = 3
  /// The longest time to hold back a response until its control point has been sent the events of the action.
  public var responseHoldMilliseconds = 80

  public init() {}

  /// Returns the seconds to grant for a TIMEOUT header: `Second-300`, `Second-infinite`, `infinite`.
  func granted(timeout header: String?) -> Int {
    guard let text = header?.trimmingASCIISpace.lowercased() else { return defaultTimeout }
    let value = text.hasPrefix("second-") ? text.dropFirst(7) : text[...]
    if value == "infinite" { return maximumTimeout }
    guard text.hasPrefix("second-"), !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      return defaultTimeout
    }
    guard let seconds = Int(value), seconds > 0 else { return maximumTimeout }
    return min(max(seconds, minimumTimeout), maximumTimeout)
  }
}
