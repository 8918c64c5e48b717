/// What a delivery's outcome means for its subscription (UPnP Device Architecture, "Eventing").
enum DeliveryPolicy {
  /// A subscriber that lets two messages in a row time out is gone.
  static let toleratedTimeouts = 1

  static func isDelivered(_ outcome: DeliveryOutcome) -> Bool {
    if case .answered(200..<300) = outcome { true } else { false }
  }

  /// False when the subscription ends: the subscriber doesn't know it (412), can't be reached at any of its
  /// URLs, or is silent. Any other status loses the message only; SEQ shows the gap.
  static func keeps(_ outcome: DeliveryOutcome, timeoutsBefore: Int) -> Bool {
    switch outcome {
    case .answered(let status): status != 412
    case .unreachable: false
    case .timedOut: timeoutsBefore < toleratedTimeouts
    case .notSent: true
    }
  }
}

/// Numbers for metrics.
struct EventCounts: Sendable, Hashable {
  var delivered = 0
  var failed = 0
  var subscriptionsDropped = 0

  mutating func note(_ outcome: DeliveryOutcome) {
    if DeliveryPolicy.isDelivered(outcome) { delivered += 1 } else { failed += 1 }
  }
}
