import NIOCore

/// The life of a message: it is queued, built, sent, and finished.
extension EventPump {
  mutating func enqueue(_ sid: SID) {
    guard let entry = table[sid] else { return }
    table.update(sid) { $0.phase = .queued }
    queue.enqueue(sid, isSlow: entry.isSlow)
  }

  /// Starts every delivery that may start.
  mutating func drain(now: NIODeadline, _ effects: inout EventEffects) {
    for sid in retries.takeDue(now: now) { enqueue(sid) }
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
        // It may wait long: it keeps no old values meanwhile, and gets all values then.
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
          token: token, sid: sid, sidFormat: entry.sidFormat, fields: entry.fields, closes: entry.closes,
          sequence: sequence,
          callbacks: entry.nextCallbacks, interface: entry.interface, body: body))
    }
  }

  /// Handles the outcome of a delivery.
  mutating func finish(
    _ token: Int, of sid: SID, _ outcome: DeliveryOutcome, now: NIODeadline, _ effects: inout EventEffects
  ) {
    guard let wasSlow = queue.end(token), let entry = table[sid],
      case .sending(token, let carried) = entry.phase
    else { return }
    counts.note(outcome)
    let verdict = DeliveryPolicy.verdict(on: outcome)
    table.update(sid) {
      $0.phase = .quiet
      $0.isSlow = wasSlow
      // After a failure it is unknown what has arrived, so the next message carries all values.
      $0.known = verdict == .delivered ? carried : nil
    }
    switch verdict {
    case .delivered, .refused: reached(entry, carried)
    case .uncertain: enqueue(sid)
    case .owed: postpone(entry, outcome, now: now, &effects)
    case .ended:
      counts.subscriptionsDropped += 1
      if let gone = table.remove(sid) { effects.dropped.append(gone) }
    }
  }

  private mutating func reached(_ entry: Subscription, _ carried: EventSnapshot) {
    if entry.tries > 0 {
      table.update(entry.id) { $0.wasReached() }
      // Whatever kept it from being reached has mostly affected its neighbours, too.
      retries.hasten(allOf: entry.subscriber)
    }
    // After a refusal, the values follow with the next change, not immediately: more messages wouldn't help a
    // subscriber in trouble.
    if let feed = feeds[entry.service], carried.version < feed.published { enqueue(entry.id) }
  }

  private mutating func postpone(
    _ entry: Subscription, _ outcome: DeliveryOutcome, now: NIODeadline, _ effects: inout EventEffects
  ) {
    let failures = entry.failures + (outcome == .notSent ? 0 : 1)
    if failures > entry.failures {
      if failures == 1 { effects.lost.append(entry) }
      if failures == DeliveryPolicy.manyFailures { effects.failing.append((entry, outcome)) }
    }
    table.update(entry.id) {
      $0.tries += 1
      $0.failures = failures
      $0.phase = .waiting
    }
    retries.add(entry.id, of: entry.subscriber, tries: entry.tries + 1, failures: failures, now: now)
  }

  /// Ends the delivery and retries of a removed subscription.
  mutating func release(_ entry: Subscription, _ effects: inout EventEffects) {
    queue.forget(entry.id)
    retries.forget(entry.id)
    guard case .sending(let token, _) = entry.phase else { return }
    _ = queue.end(token)
    effects.abort.append(token)
  }
}
