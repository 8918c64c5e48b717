import UPnP

@testable import ControlPoint

/// A device with events, as the specification describes it; times are milliseconds.
struct PublisherModel {
  struct Subscription {
    var sid: String
    var sequence: UInt32 = 0
    var expires: Int64
  }

  enum Answer {
    case granted(SubscriptionReply)
    case refused(Int)
  }

  /// What it grants, in seconds.
  var seconds = 1800
  /// It gives another SID with each renewal; 2: and counts anew.
  var renames = 0
  private(set) var subscriptions: [Subscription] = []
  private(set) var state = ["A": 0, "B": 0]
  private var lastSID = 0

  mutating func answer(_ request: EventSubscription.Request, now: Int64) -> (
    Answer, [EventSubscription.Event]
  ) {
    subscriptions.removeAll { $0.expires <= now }
    let expires = now + Int64(seconds) * 1000
    switch request {
    case .subscribe:
      let sid = makeSID()
      subscriptions.append(Subscription(sid: sid, expires: expires))
      return (.granted(.init(sid: sid, seconds: seconds)), [event(sid, Array(state.keys))])
    case .renew(let sid, _):
      guard let index = subscriptions.firstIndex(where: { $0.sid == sid }) else { return (.refused(412), []) }
      subscriptions[index].expires = expires
      var events: [EventSubscription.Event] = []
      if renames > 0 { subscriptions[index].sid = makeSID() }
      let new = subscriptions[index].sid
      if renames > 1 {
        subscriptions[index].sequence = 0
        events = [event(new, Array(state.keys))]
      }
      return (.granted(.init(sid: new, seconds: seconds)), events)
    case .unsubscribe(let sid):
      guard subscriptions.contains(where: { $0.sid == sid }) else { return (.refused(412), []) }
      forget(sid)
      return (.granted(.init(sid: nil, seconds: nil)), [])
    }
  }

  /// Changes a variable; returns the events for all subscribers.
  mutating func change(_ name: String, to value: Int, now: Int64) -> [EventSubscription.Event] {
    subscriptions.removeAll { $0.expires <= now }
    state[name] = value
    return subscriptions.map(\.sid).map { event($0, [name]) }
  }

  /// The subscriber has answered 412.
  mutating func forget(_ sid: String) { subscriptions.removeAll { $0.sid == sid } }

  mutating func restart() { subscriptions = [] }

  func live(at now: Int64) -> Int { subscriptions.count { $0.expires > now } }

  private mutating func makeSID() -> String {
    lastSID += 1
    return "s\(lastSID)"
  }

  private mutating func event(_ sid: String, _ names: [String]) -> EventSubscription.Event {
    guard let index = subscriptions.firstIndex(where: { $0.sid == sid }) else { preconditionFailure() }
    let sequence = subscriptions[index].sequence
    subscriptions[index].sequence = sequence == .max ? 1 : sequence + 1
    return .init(
      head: EventHead(sid: sid, sequence: sequence),
      values: names.sorted().map { ServiceValue(.init($0), "\(state[$0] ?? -1)") }, bytes: 100)
  }
}
