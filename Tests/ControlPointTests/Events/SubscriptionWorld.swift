import NIOCore
import SeededRandom
import UPnP

@testable import ControlPoint

/// A subscriber, a publisher, and a network between them that loses, doubles, delays and reorders what it carries.
struct SubscriptionWorld {
  private enum Message {
    case request(EventSubscription.Request, sent: Int64)
    case answer(PublisherModel.Answer, to: EventSubscription.Request)
    case timeout(EventSubscription.Request)
    case event(EventSubscription.Event)
    /// An announcement with a new BOOTID.
    case restarted

    var isForSubscriber: Bool { if case .request = self { false } else { true } }
  }

  private static let deadline: Int64 = 5000

  var random: SeededRandom
  var publisher = PublisherModel()
  private(set) var machine = EventSubscription()
  /// What a reader knows, and whether it has been told that it may miss something.
  private(set) var view: [String: String] = [:]
  private(set) var isInterrupted = false
  /// Of 100 messages, those that are lost, and those that come twice; milliseconds of the longest way.
  var lost = 0
  var doubled = 0
  var slowest: Int64 = 10
  private(set) var now: Int64 = 0
  /// How long the subscriber has slept in all: its clock stood still.
  private var slept: Int64 = 0
  private var queue: [(at: Int64, message: Message)] = []
  private(set) var faults: [String] = []

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private var machineNow: NIODeadline { .uptimeNanoseconds(UInt64(now - slept) * 1_000_000 + 1) }

  // MARK: - What happens

  mutating func join() { run(machine.readerCame(now: machineNow)) }

  mutating func leave() {
    guard machine.readers > 0 else { return }
    run(machine.readerLeft(now: machineNow))
  }

  mutating func change() {
    let name = chance(50) ? "A" : "B"
    carry(publisher.change(name, to: .random(in: 0..<1000, using: &random), now: now))
  }

  mutating func restart(isAnnounced: Bool) {
    publisher.restart()
    if isAnnounced { queue.append((now + delay, .restarted)) }
  }

  /// The subscriber sleeps; what comes meanwhile is lost, and requests that were under way fail.
  mutating func sleep(_ time: Int64, isNoticed: Bool) {
    for (index, entry) in queue.enumerated() where entry.message.isForSubscriber {
      if case .answer(_, let request) = entry.message { queue[index] = (now + time, .timeout(request)) }
      if case .timeout(let request) = entry.message { queue[index] = (now + time, .timeout(request)) }
    }
    queue.removeAll { entry in
      switch entry.message {
      case .event, .restarted: true
      default: false
      }
    }
    now += time
    slept += time
    if isNoticed { run(machine.pathChanged(now: machineNow)) }
  }

  mutating func pass(_ time: Int64) {
    let end = now + time
    while true {
      let wake = machine.nextWake.map {
        max(now, Int64(($0 - .uptimeNanoseconds(0)).nanoseconds / 1_000_000) + 1 + slept)
      }
      let next = queue.indices.min { queue[$0].at < queue[$1].at }
      let message = next.map { queue[$0].at } ?? .max
      guard min(wake ?? .max, message) <= end else { break }
      if let wake, wake <= message {
        now = max(now, wake)
        run(machine.tick(now: machineNow))
        if let again = machine.nextWake, again <= machineNow { return faults.append("it would spin") }
      } else if let next {
        now = max(now, message)
        deliver(queue.remove(at: next).message)
      }
    }
    now = end
  }

  // MARK: - The network

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private var delay: Int64 { mutating get { .random(in: 1...slowest, using: &random) } }

  private mutating func carry(_ events: [EventSubscription.Event]) {
    for event in events where !chance(lost) {
      queue.append((now + delay, .event(event)))
      if chance(doubled) { queue.append((now + delay, .event(event))) }
    }
  }

  private mutating func deliver(_ message: Message) {
    switch message {
    case .request(let request, let sent):
      let (answer, events) = publisher.answer(request, now: now)
      let arrives = now + delay
      if chance(lost) || arrives > sent + Self.deadline {
        queue.append((sent + Self.deadline, .timeout(request)))
      } else {
        queue.append((arrives, .answer(answer, to: request)))
      }
      carry(events)
    case .answer(let answer, let request):
      guard let token = request.token else { return }
      switch answer {
      case .granted(let reply): run(machine.granted(token, reply, now: machineNow, using: &random))
      case .refused(let status): run(machine.failed(token, status: status, now: machineNow))
      }
    case .timeout(let request):
      if let token = request.token { run(machine.failed(token, status: nil, now: machineNow)) }
    case .event(let event):
      let (verdict, effects) = machine.notified(event, now: machineNow)
      if verdict == .unknown { publisher.forget(event.head.sid) }
      run(effects)
    case .restarted: run(machine.deviceRestarted(now: machineNow))
    }
  }

  private mutating func run(_ effects: EventSubscription.Effects) {
    for change in effects.changes {
      if machine.readers == 0 { faults.append("nobody reads") }
      switch change {
      case .all(let values):
        view = [:]
        for value in values { view[value.variable.name] = value.value }
        isInterrupted = false
      case .changed(let values): for value in values { view[value.variable.name] = value.value }
      case .interrupted:
        if isInterrupted { faults.append("told twice") }
        isInterrupted = true
      }
    }
    if machine.readers == 0 { isInterrupted = false }
    for request in effects.requests {
      if chance(lost) {
        queue.append((now + Self.deadline, .timeout(request)))
      } else {
        queue.append((now + delay, .request(request, sent: now)))
      }
    }
    if machine.early.count > machine.limits.earlyEvents { faults.append("\(machine.early.count) kept") }
    if machine.readers == 0, machine.grant != nil { faults.append("subscribed for nobody") }
  }
}

extension EventSubscription.Request {
  /// Nil for a request whose answer doesn't matter.
  fileprivate var token: Int? {
    switch self {
    case .subscribe(let token), .renew(_, let token): token
    case .unsubscribe: nil
    }
  }
}
