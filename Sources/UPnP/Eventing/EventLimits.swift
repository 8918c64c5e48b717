/// What subscribers may ask for (UPnP Device Architecture, "Eventing").
public struct EventLimits: Sendable, Hashable {
  /// Subscriptions at one time, over all services.
  public var subscriptions = 1024
  /// Subscriptions of one address at one time.
  public var subscriptionsPerAddress = 512
  /// URLs in one CALLBACK header; more are refused.
  public var callbacksPerSubscription = 6
  /// The longest callback URL, in bytes.
  public var urlBytes = 256
  /// Seconds until a connection to a subscriber is given up.
  public var connectSeconds = 5
  /// Seconds until one event, with all its URLs, is given up.
  public var deliverySeconds = 30
  /// Bounds in seconds of what is granted, whatever TIMEOUT asks for.
  public var minimumTimeout = 10
  public var maximumTimeout = 1800
  /// Seconds that are granted when TIMEOUT is missing or can't be read.
  public var defaultTimeout = 1800
  /// Deliveries that are started before one of them is over. One that takes longer than ``stallMilliseconds``
  /// no longer counts here, so subscribers that don't answer can't hold up the others.
  public var parallelDeliveries = 64
  public var stallMilliseconds = 100
  /// Deliveries that may be open beyond that. When there are more, others wait; but those that have taken
  /// longer than ``crowdedSeconds`` are given up for them.
  public var stalledDeliveries = 256
  public var crowdedSeconds = 2
  /// A message beyond ``largeBytes`` is large. ``largeDeliveries`` of them are on their way at a time, stalled or not, and half
  /// as many to one address.
  public var largeBytes = 128 * 1024
  public var largeDeliveries = 4
  /// Connections to subscribers that stay open behind an answer, where the subscriber allows that; 0 for none.
  public var keptConnections = 64
  /// Seconds that such a connection waits for the next message; 0: none is kept.
  public var keptSeconds = 3
  /// Only those who answer within this time are trusted to take another message on the same connection.
  public var promptMilliseconds = 500
  /// Seconds until a message on a kept connection is sent once more on a new one.
  public var reuseSeconds = 3

  public init() {}

  /// Seconds that a TIMEOUT header is granted: `Second-300`, `Second-infinite`, `infinite`.
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
