import NIOCore

/// What a service shows at one moment, and how long that holds if nothing happens (`ServiceProvider.nextChange()`).
struct ServiceReading: Sendable {
  var values: [EventedValue] = []
  var nextChange: Duration?
}

/// What one service has to tell: its latest values, when they may be told, and the messages that tell them.
struct EventFeed: Sendable {
  let style: EventStyle
  /// The shortest time between two rounds of events.
  let moderation: TimeAmount
  private(set) var latest: EventSnapshot?
  /// The version that every subscriber should have, or be on the way to.
  private(set) var published = 0
  /// Changes before this moment wait for it.
  private(set) var quietUntil = NIODeadline.uptimeNanoseconds(0)
  private(set) var isWaiting = false
  /// When the values will be others by the mere passing of time, as far as that is known.
  private var changesAt: NIODeadline?
  /// A promise shorter than this is kept a little late, so that no rounding makes a busy loop of it.
  private static let shortestLook = TimeAmount.milliseconds(1)
  /// Bodies that lead to the latest version, by the version that they start from; all subscribers share them.
  private var bodies: [Int: ByteBuffer?] = [:]
  private var bodyBytes = 0
  /// Beyond this many bytes, bodies are rather made again than kept.
  private static let keptBytes = 1 << 20
  /// The key in ``bodies`` of the message that starts from nothing.
  private static let fromNothing = -1

  init(style: EventStyle, moderation: TimeAmount) {
    self.style = style
    self.moderation = moderation
  }

  /// True when a change may be told now; otherwise it waits for the end of the window.
  mutating func mayPublish(now: NIODeadline) -> Bool {
    isWaiting = now < quietUntil
    // The end of the window looks at everything anew.
    if isWaiting { changesAt = nil }
    return !isWaiting
  }

  /// When the values have to be looked at although nothing happens meanwhile; nil for never.
  var nextWake: NIODeadline? {
    guard isWaiting else { return changesAt }
    return min(quietUntil, changesAt ?? .distantFuture)
  }

  /// Takes the values as they are now, without telling anybody.
  mutating func note(_ reading: ServiceReading, now: NIODeadline) {
    changesAt = reading.nextChange.map { now + max(TimeAmount($0), Self.shortestLook) }
    guard latest?.values != reading.values else { return }
    latest = EventSnapshot(version: (latest?.version ?? 0) + 1, values: reading.values)
    dropBodies()
  }

  /// True when not every subscriber has, or is on the way to, the latest values.
  var hasUnpublished: Bool { (latest?.version ?? 0) != published }

  /// Declares the latest values to be what every subscriber should have.
  mutating func publish() {
    isWaiting = false
    published = latest?.version ?? 0
  }

  /// Begins a window in which further changes are merged.
  mutating func startWindow(now: NIODeadline) { quietUntil = now + moderation }

  /// The message for somebody who knows `known` (nil: nothing); nil when there is nothing new to tell.
  mutating func body(from known: EventSnapshot?) -> ByteBuffer? {
    guard let latest else { return nil }
    let key = known?.version ?? Self.fromNothing
    if let body = bodies[key] { return body }
    let values = known.map { PropertySet.difference(from: $0.values, to: latest.values) } ?? latest.values
    let body = values.isEmpty && known != nil ? nil : PropertySet.document(values, style: style)
    let size = body?.readableBytes ?? 0
    if bodyBytes + size > Self.keptBytes { dropBodies() }
    bodyBytes += size
    bodies[key] = .some(body)
    return body
  }

  private mutating func dropBodies() {
    bodies.removeAll()
    bodyBytes = 0
  }

  /// Drops the values; for services that nobody listens to.
  mutating func forget() {
    dropBodies()
    isWaiting = false
    changesAt = nil
  }
}
