import NIOCore
import UPnP

@testable import ControlPoint

/// A subscription on a fake clock, with a shell that only notes what it has to do.
struct SubscriptionRig {
  var machine = EventSubscription()
  var now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
  /// Requests and changes since the last ``news()``: `subscribe`, `renew a`, `unsubscribe a`, `all A=1`, `changed A=2` …
  var log: [String] = []
  /// The token of the last SUBSCRIBE or renewal.
  var token = 0
  var random = SystemRandomNumberGenerator()

  mutating func news() -> [String] {
    defer { log = [] }
    return log
  }

  mutating func run(_ effects: EventSubscription.Effects) {
    for change in effects.changes {
      func text(_ values: [ServiceValue]) -> String {
        values.map { "\($0.variable.name)=\($0.value)" }.joined(separator: ",")
      }
      switch change {
      case .all(let values): log.append("all \(text(values))")
      case .changed(let values): log.append("changed \(text(values))")
      case .interrupted: log.append("interrupted")
      }
    }
    if let ending = effects.ending { log.append("end \(ending)") }
    for request in effects.requests {
      switch request {
      case .subscribe(let token):
        self.token = token
        log.append("subscribe")
      case .renew(let sid, let token):
        self.token = token
        log.append("renew \(sid)")
      case .unsubscribe(let sid): log.append("unsubscribe \(sid)")
      }
    }
  }

  mutating func join() { run(machine.readerCame(now: now)) }
  mutating func leave() { run(machine.readerLeft(now: now)) }

  mutating func grant(_ sid: String?, seconds: Int? = 1800, token: Int? = nil) {
    run(
      machine.granted(
        token ?? self.token, SubscriptionReply(sid: sid, seconds: seconds), now: now, using: &random))
  }

  mutating func fail(_ status: Int? = nil, token: Int? = nil) {
    run(machine.failed(token ?? self.token, status: status, now: now))
  }

  @discardableResult
  mutating func notify(
    _ sid: String, _ sequence: UInt32?, _ text: String? = "A=1", bytes: Int = 100
  ) -> EventSubscription.Verdict {
    let values = text?.split(separator: ",").map { pair in
      let parts = pair.split(separator: "=")
      return ServiceValue(.init(String(parts[0])), String(parts[1]))
    }
    let (verdict, effects) = machine.notified(
      .init(head: EventHead(sid: sid, sequence: sequence), values: values, bytes: bytes), now: now)
    run(effects)
    return verdict
  }

  /// Goes to when something is due, and does it; returns the seconds until then.
  @discardableResult
  mutating func wait() -> Double? {
    guard let due = machine.nextWake else { return nil }
    let time = due - now
    now = max(now, due)
    run(machine.tick(now: now))
    return Double(time.nanoseconds) / 1e9
  }

  mutating func pass(seconds: Int64) { now = now + .seconds(seconds) }

  /// Has a reader, a subscription `a`, and its first event.
  static func subscribed(seconds: Int? = 1800) -> SubscriptionRig {
    var rig = SubscriptionRig()
    rig.join()
    rig.grant("a", seconds: seconds)
    rig.notify("a", 0)
    rig.log = []
    return rig
  }
}
