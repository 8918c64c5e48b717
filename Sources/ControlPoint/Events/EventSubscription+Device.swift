import NIOCore

/// The device and the way to it.
extension EventSubscription {
  /// The device has started again, and knows no subscription.
  mutating func deviceRestarted(now: NIODeadline) -> Effects {
    var effects = Effects()
    switch phase {
    case .idle: grant = nil
    case .asking:
      grant = nil
      isDoubted = true
    case .subscribed, .renewing: lose(unsubscribes: false, now: now, &effects)
    case .waiting:
      grant = nil
      hasten(now: now)
    }
    return effects
  }

  /// The device may have started again. A renewal shows whether it still knows the subscription.
  mutating func doubt(now: NIODeadline) {
    switch phase {
    case .idle: break
    case .asking, .renewing: isDoubted = true
    case .subscribed: phase = .subscribed(renewAt: now)
    case .waiting: hasten(now: now)
    }
  }

  /// Another address of ours reaches the device, or it has another address: events go to the wrong place, or were lost.
  mutating func pathChanged(now: NIODeadline) -> Effects {
    var effects = Effects()
    switch phase {
    case .idle: break
    case .asking, .subscribed, .renewing:
      if readers > 0 { lose(unsubscribes: true, now: now, &effects) }
    case .waiting: hasten(now: now)
    }
    return effects
  }

  /// The device has been heard of, so it is worth another try.
  mutating func hasten(now: NIODeadline) {
    guard case .waiting(let until, let tried) = phase else { return }
    phase = .waiting(until: min(until, max(now, tried + .seconds(1))), tried: tried)
  }
}
