import NIOCore
import Network
import Testing

@testable import UPnP

/// A pump on a fake clock, with one service whose values the test sets.
struct PumpRig {
  static let service = ServiceKey(udn: "u", name: "S")
  var pump: EventPump
  var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
  var values: [EventedValue] = [.init(name: "A", value: "1"), .init(name: "B", value: "x")]
  var views = 0
  /// In how much time the values change by themselves.
  var nextChange: Duration?
  private var subscribers = 0

  init(
    limits: EventLimits = EventLimits(), moderation: Duration = .milliseconds(200),
    leading: LeadingVariable? = nil, variables: [String: TimeAmount] = [:]
  ) {
    pump = EventPump(limits: limits)
    _ = pump.setServices([
      Self.service: ServiceEventing(
        style: .properties, moderation: moderation, leading: leading, variables: variables)
    ])
  }

  private var reading: ServiceReading { ServiceReading(values: values, nextChange: nextChange) }

  /// What a service returns that doesn't read the variables that are held.
  private static func read(_ reading: ServiceReading, _ held: HeldValues) -> ServiceReading {
    var reading = reading
    reading.values = reading.values.map { EventedValue(name: $0.name, value: held[$0.name] ?? $0.value) }
    return reading
  }

  /// Subscribes; the response hasn't left yet.
  mutating func subscribe(
    seconds: Int = 1800, from address: IPAddress = .v4(1), callbacks: [CallbackURL] = []
  ) throws -> SID {
    subscribers += 1
    let sid = SID(high: 0, low: UInt64(subscribers))
    try pump.subscribe(
      Subscription(
        id: sid, service: Self.service, subscriber: address, callbacks: callbacks, interface: nil,
        expires: now + .seconds(Int64(seconds))))
    return sid
  }

  mutating func answered(_ sid: SID) -> EventEffects {
    let reading = reading
    return pump.answered(sid, now: now) { Self.read(reading, $1) }
  }

  mutating func set(_ name: String, _ value: String) -> EventEffects {
    for index in values.indices where values[index].name == name { values[index].value = value }
    let reading = reading
    var views = views
    defer { self.views = views }
    return pump.stateChanged(now: now) { _, held in
      views += 1
      return Self.read(reading, held)
    }
  }

  mutating func advance(milliseconds: Int) -> EventEffects {
    now = now + .milliseconds(Int64(milliseconds))
    let reading = reading
    var views = views
    defer { self.views = views }
    return pump.tick(now: now) { _, held in
      views += 1
      return Self.read(reading, held)
    }
  }

  mutating func finish(_ delivery: EventDelivery, _ outcome: DeliveryOutcome = .answered(200)) -> EventEffects
  {
    pump.finished(delivery.token, of: delivery.sid, outcome, now: now)
  }

  /// A subscriber that has its first event.
  mutating func settled(from address: IPAddress = .v4(1)) throws -> SID {
    let sid = try subscribe(from: address)
    let first = answered(sid)
    _ = finish(try #require(first.send.first))
    return sid
  }
}

extension EventDelivery {
  /// `SEQ name=value …`
  var told: String {
    let text = String(buffer: body)
    let properties = text.split(separator: "<e:property><").dropFirst().map { part in
      "\(part.prefix { $0 != ">" })=\(part.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" })"
    }
    return ([String(sequence)] + properties).joined(separator: " ")
  }
}
