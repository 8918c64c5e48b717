import NIOCore

/// One message to one subscriber.
struct EventDelivery: Sendable {
  /// Identifies the delivery when its outcome is reported.
  var token: Int
  var sid: SID
  var sequence: UInt32
  var callbacks: [CallbackURL]
  var interface: Int?
  var body: ByteBuffer
}

/// How a delivery ended.
enum DeliveryOutcome: Sendable, Hashable {
  /// The subscriber answered with this status.
  case answered(Int)
  /// No URL took a connection, or each broke it.
  case unreachable
  case timedOut
  /// It was our fault (no descriptor, no memory, no route of ours).
  case notSent
}

/// What has to be done after a step of the pump.
struct EventEffects: Sendable {
  var send: [EventDelivery] = []
  /// Tokens of deliveries whose connections are to be closed; their outcome is of no interest any more.
  var abort: [Int] = []
  /// Subscriptions that were dropped because their subscriber is gone.
  var dropped: [Subscription] = []
}

/// Events of all services to all subscribers: pure, on whatever clock it is given.
///
/// A subscriber has at most one message on its way. What changes meanwhile isn't queued; the next message is made
/// when it can be sent, of the difference between what the subscriber has got and what is true then.
struct EventPump: Sendable {
  /// What a service shows now.
  typealias Values = (ServiceKey) -> ServiceReading

  private let limits: EventLimits
  private(set) var table: SubscriptionTable
  private var services: [ServiceKey] = []
  private var feeds: [ServiceKey: EventFeed] = [:]
  private var queue: DeliveryQueue
  private(set) var counts = EventCounts()

  init(limits: EventLimits) {
    self.limits = limits
    table = SubscriptionTable(limits: limits)
    queue = DeliveryQueue(limits: limits)
  }

  /// Takes the services that exist now; subscriptions to others end.
  mutating func setServices(_ services: [ServiceKey: (style: EventStyle, moderation: Duration)])
    -> EventEffects
  {
    let gone = table.removeAll(except: Set(services.keys))
    var effects = EventEffects()
    for subscription in gone { release(subscription, &effects) }
    self.services = Array(services.keys)
    feeds = feeds.filter { services[$0.key] != nil }
    for (key, service) in services where feeds[key] == nil {
      feeds[key] = EventFeed(style: service.style, moderation: TimeAmount(service.moderation))
    }
    return effects
  }

  /// Forgets subscriptions that have run out.
  mutating func expire(now: NIODeadline) -> EventEffects {
    var effects = EventEffects()
    for entry in table.expire(now: now) { release(entry, &effects) }
    return effects
  }

  /// Adds a subscription that gets its first event once ``answered(_:now:values:)`` was called for it. Call
  /// ``expire(now:)`` first, so that dead ones take nobody's place.
  mutating func subscribe(_ subscription: Subscription) throws(SubscriptionRefusal) {
    try table.add(subscription)
  }

  /// Returns false when the subscription isn't known.
  mutating func renew(_ sid: SID, of service: ServiceKey, until expires: NIODeadline, now: NIODeadline)
    -> Bool
  {
    table.renew(sid, of: service, until: expires, now: now)
  }

  /// Returns nil when the subscription isn't known.
  mutating func unsubscribe(_ sid: SID, of service: ServiceKey, now: NIODeadline) -> EventEffects? {
    // What has expired is left to ``expire(now:)``, which has what it has under way given up.
    guard let entry = table[sid], entry.service == service, entry.expires > now else { return nil }
    table.remove(sid)
    var effects = EventEffects()
    release(entry, &effects)
    drain(now: now, &effects)
    return effects
  }

  /// The response to SUBSCRIBE has left: the first event may follow.
  mutating func answered(_ sid: SID, now: NIODeadline, values: Values) -> EventEffects {
    var effects = EventEffects()
    guard let entry = table[sid], entry.phase == .unanswered else { return effects }
    feeds[entry.service]?.note(values(entry.service), now: now)
    let isNews = feeds[entry.service]?.hasUnpublished == true
    if table.subscribers(of: entry.service).count == 1 {
      // Alone, it has nobody who would still have to be told what it gets.
      feeds[entry.service]?.publish()
    } else if isNews, feeds[entry.service]?.mayPublish(now: now) == true {
      // Time alone has changed something, and this look at it has taken the place of the one that was due.
      publish(entry.service, now: now, values: values)
    }
    enqueue(sid)
    drain(now: now, &effects)
    return effects
  }

  /// Something may have changed in any service.
  mutating func stateChanged(now: NIODeadline, values: Values) -> EventEffects {
    var effects = expire(now: now)
    for service in services
    where table.hasSubscribers(service) && feeds[service]?.mayPublish(now: now) == true {
      publish(service, now: now, values: values)
    }
    drain(now: now, &effects)
    return effects
  }

  /// Time has passed: ends windows and deliveries that are due, and looks at what changes by itself.
  mutating func tick(now: NIODeadline, values: Values) -> EventEffects {
    var effects = expire(now: now)
    for service in services {
      guard let due = feeds[service]?.nextWake, due <= now else { continue }
      if !table.hasSubscribers(service) {
        feeds[service]?.forget()
      } else if feeds[service]?.mayPublish(now: now) == true {
        publish(service, now: now, values: values)
      }
    }
    for expired in queue.tick(now: now) {
      effects.abort.append(expired.token)
      finish(expired.token, of: expired.sid, .timedOut, now: now, &effects)
    }
    drain(now: now, &effects)
    return effects
  }

  /// A delivery is over.
  mutating func finished(_ token: Int, of sid: SID, _ outcome: DeliveryOutcome, now: NIODeadline)
    -> EventEffects
  {
    var effects = expire(now: now)
    finish(token, of: sid, outcome, now: now, &effects)
    drain(now: now, &effects)
    return effects
  }

  /// When ``tick(now:values:)`` has something to do; nil while nothing is pending, so an idle host sleeps.
  var nextWake: NIODeadline? {
    var wake = queue.nextWake
    for feed in feeds.values {
      if let next = feed.nextWake { wake = min(wake ?? .distantFuture, next) }
    }
    return wake
  }

  /// Ends everything.
  mutating func removeAll() -> EventEffects {
    var effects = EventEffects()
    for subscription in table.removeAll() { release(subscription, &effects) }
    return effects
  }

  // MARK: - Steps

  private mutating func publish(_ service: ServiceKey, now: NIODeadline, values: Values) {
    feeds[service]?.note(values(service), now: now)
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
      case .unanswered: break
      }
    }
    if tells { feeds[service]?.startWindow(now: now) }
  }

  private mutating func enqueue(_ sid: SID) {
    guard let entry = table[sid] else { return }
    table.update(sid) { $0.phase = .queued }
    queue.enqueue(sid, isSlow: entry.isSlow)
  }

  private mutating func drain(now: NIODeadline, _ effects: inout EventEffects) {
    while let sid = queue.next() {
      guard let entry = table[sid], entry.phase == .queued else { continue }
      guard let latest = feeds[entry.service]?.latest,
        let body = feeds[entry.service]?.body(from: entry.known)
      else {
        let latest = feeds[entry.service]?.latest
        table.update(sid) {
          $0.phase = .quiet
          $0.known = latest
        }
        continue
      }
      guard
        let token = queue.start(sid, to: entry.subscriber, bytes: body.readableBytes, now: now)
      else {
        // Whoever waits for long is told everything then, and keeps no old values until then.
        table.update(sid) { $0.known = nil }
        continue
      }
      var sequence: UInt32 = 0
      table.update(sid) {
        sequence = $0.takeSequence()
        $0.phase = .sending(token: token, carries: latest)
      }
      effects.send.append(
        EventDelivery(
          token: token, sid: sid, sequence: sequence, callbacks: entry.callbacks, interface: entry.interface,
          body: body))
    }
  }

  private mutating func finish(
    _ token: Int, of sid: SID, _ outcome: DeliveryOutcome, now: NIODeadline, _ effects: inout EventEffects
  ) {
    guard let wasSlow = queue.end(token), let entry = table[sid],
      case .sending(token, let carried) = entry.phase
    else { return }
    counts.note(outcome)
    guard DeliveryPolicy.keeps(outcome, timeoutsBefore: entry.timeouts) else {
      counts.subscriptionsDropped += 1
      if let gone = table.remove(sid) { effects.dropped.append(gone) }
      return
    }
    let isDelivered = DeliveryPolicy.isDelivered(outcome)
    table.update(sid) {
      $0.phase = .quiet
      $0.isSlow = wasSlow
      $0.timeouts = outcome == .timedOut ? $0.timeouts + 1 : 0
      // After a failure nobody knows what has arrived; the next message tells everything.
      $0.known = isDelivered ? carried : nil
    }
    // What was lost is told with the next change, not at once: a subscriber in trouble isn't helped by more.
    if let feed = feeds[entry.service], carried.version < feed.published { enqueue(sid) }
  }

  /// Gives back what a removed subscription has under way.
  private mutating func release(_ entry: Subscription, _ effects: inout EventEffects) {
    queue.forget(entry.id)
    guard case .sending(let token, _) = entry.phase else { return }
    _ = queue.end(token)
    effects.abort.append(token)
  }
}
