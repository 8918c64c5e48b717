/// Decides what the outcome of a delivery means for its subscription (UPnP Device Architecture, "Eventing").
enum DeliveryPolicy {
  enum Verdict: Sendable, Hashable {
    case delivered
    /// The subscriber refused the message, which is lost; the next change sends all values.
    case refused
    /// It is unknown whether the message arrived; the current state follows immediately in another message.
    case uncertain
    /// The subscriber couldn't be reached: the message is lost, and the current state is owed.
    case owed
    /// The subscriber doesn't know the subscription, so it ends.
    case ended
  }

  /// The number of failures in a row that is no longer taken for an accident.
  static let manyFailures = 6

  /// Maps an outcome to a verdict: a message may be given up, but a subscription ends only on expiry or on 412.
  static func verdict(on outcome: DeliveryOutcome) -> Verdict {
    switch outcome {
    case .answered(200..<300): .delivered
    case .answered(412): .ended
    case .answered, .cutOff: .refused
    case .unanswered: .uncertain
    case .unreachable, .timedOut, .notSent: .owed
    }
  }
}

/// Event counters for metrics.
struct EventCounts: Sendable, Hashable {
  var delivered = 0
  var failed = 0
  var subscriptionsDropped = 0

  mutating func note(_ outcome: DeliveryOutcome) {
    if DeliveryPolicy.verdict(on: outcome) == .delivered { delivered += 1 } else { failed += 1 }
  }
}
