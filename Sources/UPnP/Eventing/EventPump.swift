import NIOCore
import Network

/// One message to one subscriber.
struct EventDelivery: Sendable {
  /// Identifies the delivery when its outcome is reported.
  var token: Int
  var sid: SID
  var sidFormat: SIDFormat
  var fields = ""
  var closes = false
  var sequence: UInt32
  var callbacks: [CallbackURL]
  var interface: Int?
  var body: ByteBuffer
}

/// How a delivery ended.
enum DeliveryOutcome: Sendable, Hashable {
  /// The subscriber answered with this status.
  case answered(Int)
  /// No URL accepted a connection, or the connection was reset.
  case unreachable
  /// The subscriber took the whole message, and closed the connection without a response.
  case cutOff
  /// The message was sent on a kept connection and got no response; it may have arrived.
  case unanswered
  case timedOut
  /// A local failure: no file descriptor, no memory, or no route.
  case notSent
}

/// What the caller has to do after a step of the pump.
struct EventEffects: Sendable {
  var send: [EventDelivery] = []
  /// Tokens of deliveries whose connections must be closed; their outcome no longer matters.
  var abort: [Int] = []
  /// Subscriptions that their subscriber no longer knows.
  var dropped: [Subscription] = []
  /// Subscriptions whose subscriber couldn't be reached for the first time.
  var lost: [Subscription] = []
  /// Subscriptions that have failed often enough to be reported, with the outcome of the last try.
  var failing: [(subscription: Subscription, outcome: DeliveryOutcome)] = []
}

/// Sends the events of all services to all subscribers; pure logic that takes the time as an argument.
///
/// A subscriber has at most one message under way. Changes in the meantime aren't queued: the next message is built
/// when it can be sent, from the difference between what the subscriber has received and the current values. An
/// unreachable subscriber is owed the current state; it is retried with back-off until its subscription expires.
struct EventPump: Sendable {
  /// Reads a service's current values, except those that are held.
  typealias Values = (ServiceKey, HeldValues) -> ServiceReading

  var table: SubscriptionTable
  private var services: [ServiceKey] = []
  var feeds: [ServiceKey: EventFeed] = [:]
  var queue: DeliveryQueue
  var retries = RetrySchedule()
  var counts = EventCounts()

  init(limits: EventLimits) {
    table = SubscriptionTable(limits: limits)
    queue = DeliveryQueue(limits: limits)
  }

  /// Sets the services that exist now; subscriptions to others end.
  mutating func setServices(_ services: [ServiceKey: ServiceEventing]) -> EventEffects {
    let gone = table.removeAll(except: Set(services.keys))
    var effects = EventEffects()
    for subscription in gone { release(subscription, &effects) }
    self.services = Array(services.keys)
    feeds = feeds.filter { services[$0.key] != nil }
    for (key, service) in services where feeds[key] == nil {
      feeds[key] = EventFeed(service)
    }
    return effects
  }

  /// Removes expired subscriptions.
  mutating func expire(now: NIODeadline) -> EventEffects {
    var effects = EventEffects()
    for entry in table.expire(now: now) { release(entry, &effects) }
    return effects
  }

  /// Adds a subscription, which gets its first event after ``answered(_:now:values:)``.
  ///
  /// Call ``expire(now:)`` first, so that expired subscriptions don't count against the limits. If a limit is reached,
  /// the new subscription replaces an unreachable one.
  ///
  /// - Throws: ``SubscriptionRefusal`` when a limit is reached and there is none to replace.
  mutating func subscribe(_ subscription: Subscription) throws(SubscriptionRefusal) {
    do throws(SubscriptionRefusal) {
      try table.add(subscription)
    } catch {
      guard let victim = retries.mostFailed(at: error == .total ? nil : subscription.subscriber) else {
        throw error
      }
      // It waits for a retry, so it has no delivery to abort.
      retries.forget(victim)
      table.remove(victim)
      counts.subscriptionsDropped += 1
      try table.add(subscription)
    }
  }

  /// Ends a subscription that is about to be renewed although its events don't arrive.
  ///
  /// Either its subscriber has moved to `address` or `interface`, or many more deliveries have failed since an earlier
  /// renewal. A subscriber whose renewal is refused subscribes again, from its current address. Returns nil when the
  /// subscription may continue.
  mutating func endIfUnreachable(
    _ sid: SID, of service: ServiceKey, renewedFrom address: IPAddress, interface: Int?, now: NIODeadline
  ) -> EventEffects? {
    guard let entry = table[sid], entry.service == service, entry.failures > 0 else { return nil }
    let before = entry.failuresWhenRenewed ?? entry.failures
    let hasMoved = address != entry.subscriber || interface != entry.interface
    guard hasMoved || entry.failures - before >= DeliveryPolicy.manyFailures else {
      table.update(sid) { $0.failuresWhenRenewed = before }
      return nil
    }
    counts.subscriptionsDropped += 1
    table.remove(sid)
    var effects = EventEffects()
    release(entry, &effects)
    drain(now: now, &effects)
    return effects
  }

  /// Retries soon what couldn't be sent while our own network was down.
  mutating func networkReturned() { retries.hastenAll() }

  /// Renews a subscription; returns false when it isn't known.
  ///
  /// The renewal shows that the subscriber is there, so an owed event is retried soon.
  mutating func renew(_ sid: SID, of service: ServiceKey, until expires: NIODeadline, now: NIODeadline)
    -> Bool
  {
    guard table.renew(sid, of: service, until: expires, now: now) else { return false }
    if table[sid]?.phase == .waiting { retries.hasten(sid) }
    return true
  }

  /// Ends a subscription; returns nil when it isn't known.
  mutating func unsubscribe(_ sid: SID, of service: ServiceKey, now: NIODeadline) -> EventEffects? {
    // Expired ones are left to ``expire(now:)``, which also aborts their deliveries.
    guard let entry = table[sid], entry.service == service, entry.expires > now else { return nil }
    table.remove(sid)
    var effects = EventEffects()
    release(entry, &effects)
    drain(now: now, &effects)
    return effects
  }

  /// Starts the first event of `sid`, once the response to its SUBSCRIBE has been sent.
  mutating func answered(_ sid: SID, now: NIODeadline, values: Values) -> EventEffects {
    var effects = EventEffects()
    guard let entry = table[sid], entry.phase == .unanswered else { return effects }
    let reading = read(entry.service, now: now, values)
    feeds[entry.service]?.note(reading, now: now)
    if table.subscribers(of: entry.service).count == 1 {
      // It is the only subscriber, so no other subscriber misses the values that it gets now.
      feeds[entry.service]?.publish()
    } else if feeds[entry.service]?.hasUnpublished == true {
      // The values have changed by time alone. This read replaces the one that was due, so the other subscribers are
      // sent the new values as well.
      tell(reading, of: entry.service, byTimeAlone: true, now: now)
    }
    enqueue(sid)
    drain(now: now, &effects)
    return effects
  }

  /// Sends what has changed in any service.
  mutating func stateChanged(now: NIODeadline, values: Values) -> EventEffects {
    var effects = expire(now: now)
    for service in services where table.hasSubscribers(service) {
      look(service, now: now, values: values)
    }
    drain(now: now, &effects)
    return effects
  }

  /// Handles everything that is due: windows and deliveries that end, values that change by themselves, and retries.
  mutating func tick(now: NIODeadline, values: Values) -> EventEffects {
    var effects = expire(now: now)
    for service in services {
      guard let due = feeds[service]?.nextWake, due <= now else { continue }
      if !table.hasSubscribers(service) {
        feeds[service]?.forget()
      } else {
        let isTime = feeds[service]?.changesByTimeAlone(now: now) == true
        look(service, byTimeAlone: isTime, now: now, values: values)
      }
    }
    for expired in queue.tick(now: now) {
      effects.abort.append(expired.token)
      finish(expired.token, of: expired.sid, .timedOut, now: now, &effects)
    }
    drain(now: now, &effects)
    return effects
  }

  /// Handles the end of a delivery.
  mutating func finished(_ token: Int, of sid: SID, _ outcome: DeliveryOutcome, now: NIODeadline)
    -> EventEffects
  {
    var effects = expire(now: now)
    finish(token, of: sid, outcome, now: now, &effects)
    drain(now: now, &effects)
    return effects
  }

  /// When ``tick(now:values:)`` is due next; nil while nothing is pending, so that an idle host sleeps.
  var nextWake: NIODeadline? {
    var wake = queue.nextWake
    if let next = retries.nextWake { wake = min(wake ?? .distantFuture, next) }
    for feed in feeds.values {
      if let next = feed.nextWake { wake = min(wake ?? .distantFuture, next) }
    }
    return wake
  }

  /// Ends all subscriptions.
  mutating func removeAll() -> EventEffects {
    var effects = EventEffects()
    for subscription in table.removeAll() { release(subscription, &effects) }
    return effects
  }

  /// Returns the first `count` subscriptions to `service` at `address` that have an event under way.
  func subscriptionsUnderWay(at address: IPAddress, of service: ServiceKey, atMost count: Int) -> [SID] {
    Array(
      table.subscribers(of: service).lazy
        .filter { table[$0]?.subscriber == address && hasEventUnderWay($0) }.prefix(count))
  }

  /// True while an event is under way to a subscriber that usually answers promptly.
  func hasEventUnderWay(_ sid: SID) -> Bool {
    guard let entry = table[sid], !entry.isSlow else { return false }
    switch entry.phase {
    case .queued: return true
    case .sending(let token, _): return !queue.isStalled(token)
    case .unanswered, .quiet, .waiting: return false
    }
  }

  // MARK: - Reading a service

  private func read(_ service: ServiceKey, now: NIODeadline, _ values: Values) -> ServiceReading {
    values(service, feeds[service]?.held(now: now) ?? .none)
  }

  private mutating func look(
    _ service: ServiceKey, byTimeAlone: Bool = false, now: NIODeadline, values: Values
  ) {
    guard feeds[service]?.mayRead(now: now) == true else { return }
    tell(read(service, now: now, values), of: service, byTimeAlone: byTimeAlone, now: now)
  }

  private mutating func tell(
    _ reading: ServiceReading, of service: ServiceKey, byTimeAlone: Bool, now: NIODeadline
  ) {
    guard feeds[service]?.maySend(reading, now: now) == true else { return }
    feeds[service]?.note(reading, now: now)
    guard let feed = feeds[service] else { return }
    let isNew = feed.hasUnpublished
    feeds[service]?.publish()
    guard isNew else { return }
    queue.retryLarge()
    var tells = false
    for sid in table.subscribers(of: service) {
      guard let entry = table[sid] else { continue }
      switch entry.phase {
      case .quiet:
        guard feeds[service]?.body(from: entry.known) != nil else {
          table.update(sid) { $0.known = feed.latest }
          continue
        }
        enqueue(sid)
        tells = true
      case .queued, .sending: tells = true
      case .waiting: retries.stateChanged(for: sid, byTimeAlone: byTimeAlone)
      case .unanswered: break
      }
    }
    if tells { feeds[service]?.startWindow(now: now) }
  }
}
