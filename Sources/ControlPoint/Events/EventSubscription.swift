import NIOCore
import UPnP

/// The subscription to the events of one service of somebody else's device (UPnP Device Architecture, "Eventing").
///
/// A value without its own clock, socket or random numbers: all of these come in as arguments. It asks for a subscription
/// while there are readers, renews it, and asks for a new one whenever events may have been missed: the first event of a
/// subscription is the whole truth.
struct EventSubscription: Sendable {
  /// A request to send.
  enum Request: Sendable, Hashable {
    case subscribe(token: Int)
    case renew(sid: String, token: Int)
    /// Its answer doesn't matter.
    case unsubscribe(sid: String)
  }

  /// What the owner has to do, in this order.
  struct Effects: Sendable {
    var changes: [ServiceChange] = []
    /// The readers are told this, and are gone.
    var ending: ChangesEnd?
    var requests: [Request] = []
  }

  enum Phase: Sendable, Hashable {
    /// Nothing is wanted, and nothing is under way.
    case idle
    /// A SUBSCRIBE is under way.
    case asking(token: Int)
    /// The device has accepted the subscription.
    case subscribed(renewAt: NIODeadline)
    case renewing(token: Int)
    /// The last try has failed.
    case waiting(until: NIODeadline, tried: NIODeadline)
  }

  /// A subscription that the device has granted.
  struct Grant: Sendable {
    var sid: String
    var since: NIODeadline
    /// When the first event must have come; nil once it has.
    var initialEventBy: NIODeadline?
    /// The last event; nil before the first, and when the first of a new SID is due.
    var last: (sequence: UInt32?, digest: Int)?
    /// The device gave another SID when the subscription was renewed, so it may count from 0 again.
    var mayCountAnew = false
  }

  let limits: SubscriptionLimits
  var phase = Phase.idle
  /// The newest grant. After a renewal that got no answer it stays until there is a new one, since events may still come.
  var grant: Grant?
  /// The last SID that was given up, whose late events aren't those of the subscription being asked for.
  var formerSID: String?
  var readers = 0
  /// Failures in a row.
  var failures = 0
  /// Events that came before the answer to the SUBSCRIBE.
  var early: [Event] = []
  /// The readers have been told that changes may be missed.
  var isInterrupted = false
  /// The device may have started again since the request that is under way was sent.
  var isDoubted = false
  /// The device has granted a subscription before.
  private var wasGranted = false
  private var lastToken = 0

  init(limits: SubscriptionLimits = SubscriptionLimits()) { self.limits = limits }

  /// True when nothing is left to do.
  var isOver: Bool { phase == .idle && readers == 0 }

  /// When ``tick(now:)`` is due; nil for never.
  var nextWake: NIODeadline? {
    switch phase {
    case .idle, .asking, .renewing: nil
    case .subscribed(let renewAt): min(renewAt, grant?.initialEventBy ?? renewAt)
    case .waiting(let until, _): until
    }
  }

  // MARK: - Readers

  mutating func readerCame(now: NIODeadline) -> Effects {
    var effects = Effects()
    readers += 1
    if phase == .idle { ask(&effects) }
    return effects
  }

  mutating func readerLeft(now: NIODeadline) -> Effects {
    var effects = Effects()
    readers -= 1
    if readers <= 0 { leave(&effects) }
    return effects
  }

  /// Ends everything, for a device that has gone or an owner that stops.
  mutating func end(_ reason: ChangesEnd, isReachable: Bool) -> Effects {
    var effects = Effects(ending: reason)
    leave(&effects)
    if !isReachable { effects.requests = [] }
    phase = .idle
    return effects
  }

  private mutating func leave(_ effects: inout Effects) {
    readers = 0
    failures = 0
    isInterrupted = false
    giveUp(unsubscribes: true, &effects)
    early = []
    // The answer to a SUBSCRIBE says what has to be unsubscribed.
    if case .asking = phase { return }
    phase = .idle
  }

  // MARK: - Answers

  /// The device has granted the request with this token.
  mutating func granted(
    _ token: Int, _ reply: SubscriptionReply, now: NIODeadline, using random: inout some RandomNumberGenerator
  ) -> Effects {
    var effects = Effects()
    switch phase {
    case .asking(token: token):
      guard readers > 0 else {
        phase = .idle
        if let sid = reply.sid { effects.requests.append(.unsubscribe(sid: sid)) }
        break
      }
      guard let sid = reply.sid else {
        failed(&effects, now: now)
        break
      }
      if grant?.sid != sid { giveUp(unsubscribes: true, &effects) }
      grant = Grant(sid: sid, since: now, initialEventBy: now + limits.initialEventTime)
      wasGranted = true
      hold(reply, now: now, &random)
      takeEarly(&effects, now: now)
    case .renewing(token: token):
      if let sid = reply.sid, sid != grant?.sid {
        grant?.sid = sid
        grant?.mayCountAnew = true
      }
      hold(reply, now: now, &random)
      takeEarly(&effects, now: now)
    default:
      // Nobody waits for it any more.
      if let sid = reply.sid, sid != grant?.sid { effects.requests.append(.unsubscribe(sid: sid)) }
    }
    return effects
  }

  private mutating func hold(
    _ reply: SubscriptionReply, now: NIODeadline, _ random: inout some RandomNumberGenerator
  ) {
    let seconds = min(max(reply.seconds ?? limits.seconds, limits.minimumSeconds), limits.seconds)
    let whole = TimeAmount.seconds(Int64(seconds)).nanoseconds
    let pause = isDoubted ? 0 : Int64.random(in: whole / 2...whole * 3 / 4, using: &random)
    isDoubted = false
    phase = .subscribed(renewAt: now + .nanoseconds(pause))
  }

  /// The request with this token has failed.
  ///
  /// - Parameter status: the device's answer; nil when it gave none.
  mutating func failed(_ token: Int, status: Int?, now: NIODeadline) -> Effects {
    var effects = Effects()
    switch phase {
    case .asking(token: token):
      early = []
      if readers == 0 {
        phase = .idle
      } else if let status, [404, 405, 501].contains(status), !wasGranted {
        effects = end(.refused(status), isReachable: true)
      } else {
        failed(&effects, now: now)
      }
    case .renewing(token: token):
      early = []
      if let status {
        lose(unsubscribes: status != 412, now: now, &effects)
      } else {
        forgetFailures(now: now)
        failed(&effects, now: now)
      }
    default: break
    }
    return effects
  }

  /// Does what is due.
  mutating func tick(now: NIODeadline) -> Effects {
    var effects = Effects()
    switch phase {
    case .waiting(let until, _) where until <= now: ask(&effects)
    case .subscribed(let renewAt):
      if let due = grant?.initialEventBy, due <= now {
        lose(unsubscribes: true, now: now, &effects)
      } else if renewAt <= now, let sid = grant?.sid {
        let token = nextToken()
        phase = .renewing(token: token)
        effects.requests.append(.renew(sid: sid, token: token))
      }
    default: break
    }
    return effects
  }

  // MARK: - Trying again

  private mutating func ask(_ effects: inout Effects) {
    let token = nextToken()
    isDoubted = false
    phase = .asking(token: token)
    effects.requests.append(.subscribe(token: token))
  }

  private mutating func nextToken() -> Int {
    lastToken += 1
    return lastToken
  }

  /// Asks for a new subscription in place of the current one, at once unless the last ones didn't last either.
  mutating func lose(unsubscribes: Bool, now: NIODeadline, _ effects: inout Effects) {
    forgetFailures(now: now)
    giveUp(unsubscribes: unsubscribes, &effects)
    early = []
    failures += 1
    if failures == 1 { ask(&effects) } else { wait(failures - 2, now: now, &effects) }
  }

  private mutating func failed(_ effects: inout Effects, now: NIODeadline) {
    failures += 1
    wait(failures - 1, now: now, &effects)
  }

  /// Waits for 1, 2, 4 … 60 s.
  private mutating func wait(_ doublings: Int, now: NIODeadline, _ effects: inout Effects) {
    let pause = TimeAmount.seconds(min(1 << Int64(min(doublings, 30)), limits.longestPause))
    phase = .waiting(until: now + pause, tried: now)
    guard !isInterrupted else { return }
    isInterrupted = true
    effects.changes.append(.interrupted)
  }

  private mutating func forgetFailures(now: NIODeadline) {
    if let grant, now - grant.since >= limits.steadyTime { failures = 0 }
  }

  private mutating func giveUp(unsubscribes: Bool, _ effects: inout Effects) {
    guard let sid = grant?.sid else { return }
    grant = nil
    formerSID = sid
    if unsubscribes { effects.requests.append(.unsubscribe(sid: sid)) }
  }
}
