import NIOCore
import UPnP

/// Event messages.
extension EventSubscription {
  /// A message that has been read.
  struct Event: Sendable {
    var head: EventHead
    /// Nil when the body couldn't be read.
    var values: [ServiceValue]?
    /// The length of the body.
    var bytes: Int
    var arrived = NIODeadline.uptimeNanoseconds(0)
  }

  /// What the device is answered.
  enum Verdict: Sendable, Hashable {
    /// 200
    case taken
    /// 412: the subscription isn't known.
    case unknown
    /// 503: too many messages are kept.
    case busy
  }

  /// Says what a message will be answered, by its head and length.
  func verdict(sid: String, bytes: Int) -> Verdict {
    if sid == grant?.sid { return .taken }
    switch phase {
    case .asking, .renewing:
      guard sid != formerSID, readers > 0 else { return .unknown }
      let room = limits.earlyBytes - early.reduce(0) { $0 + $1.bytes }
      return early.count < limits.earlyEvents && bytes <= room ? .taken : .busy
    case .idle, .subscribed, .waiting: return .unknown
    }
  }

  /// A message has come.
  mutating func notified(_ event: Event, now: NIODeadline) -> (Verdict, Effects) {
    var effects = Effects()
    let verdict = verdict(sid: event.head.sid, bytes: event.bytes)
    if verdict == .taken {
      if event.head.sid == grant?.sid {
        take(event, now: now, &effects)
      } else {
        var event = event
        event.arrived = now
        early.append(event)
      }
    }
    return (verdict, effects)
  }

  /// Takes the messages that came before the answer, and drops those of other subscriptions.
  mutating func takeEarly(_ effects: inout Effects, now: NIODeadline) {
    let mine = early.filter { $0.head.sid == grant?.sid && now - $0.arrived <= limits.earlyTime }
    early = []
    // Their connections may have overtaken each other.
    for event in mine.sorted(by: { $0.head.sequence ?? .max < $1.head.sequence ?? .max }) where grant != nil {
      take(event, now: now, &effects)
    }
  }

  private enum Place {
    /// The first event of a subscription, which names all variables.
    case first
    case next
    /// The same message once more.
    case again
    /// Something is missing before it.
    case ahead
    case behind
  }

  private mutating func take(_ event: Event, now: NIODeadline, _ effects: inout Effects) {
    let digest = event.values.hashValue
    let place = place(of: event.head.sequence, digest)
    if place == .again { return }
    grant?.initialEventBy = nil
    grant?.mayCountAnew = false
    let sequence = event.head.sequence ?? grant?.last?.sequence
    grant?.last = (sequence, digest)
    // What comes late is older than what the readers know.
    if let values = event.values, place != .behind {
      if place == .first {
        isInterrupted = false
        effects.changes.append(.all(values))
      } else if !values.isEmpty {
        effects.changes.append(.changed(values))
      }
    }
    switch (place, phase) {
    case (.ahead, .subscribed), (.ahead, .renewing), (.behind, .subscribed), (.behind, .renewing):
      lose(unsubscribes: true, now: now, &effects)
    default: hasten(now: now)
    }
  }

  private func place(of sequence: UInt32?, _ digest: Int) -> Place {
    guard let grant else { return .behind }
    guard let last = grant.last else { return sequence ?? 0 == 0 ? .first : .ahead }
    guard let sequence, let before = last.sequence else { return .next }
    if sequence == Self.sequence(after: before) || before == Int32.max && sequence == 1 { return .next }
    if sequence == before, digest == last.digest { return .again }
    if sequence == 0, grant.mayCountAnew { return .first }
    return sequence > before ? .ahead : .behind
  }

  /// SEQ begins at 0 once only. (Some devices count no further than 2147483647.)
  private static func sequence(after sequence: UInt32) -> UInt32 { sequence == .max ? 1 : sequence + 1 }
}
