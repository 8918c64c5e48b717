import NIOCore

/// A service's values at one moment, and when they change by themselves (`ServiceProvider.nextChange()`).
struct ServiceReading: Sendable {
  var values: [EventedValue] = []
  var nextChange: Duration?
}

/// The event state of one service: its latest values, when they may be sent, and the messages that carry them.
struct EventFeed: Sendable {
  let style: EventStyle
  private let isWhole: Bool
  private let leading: LeadingVariable?
  private var timing: EventTiming
  private var windows: VariableWindows
  private(set) var latest: EventSnapshot?
  /// The version that every subscriber has, or is being sent.
  private(set) var published = 0
  /// The value of the leading variable in that version.
  private var publishedLead: String?
  /// When the values will change by time alone, if known.
  private var changesAt: NIODeadline?
  /// The shortest wait; a shorter `nextChange` is rounded up, so that rounding errors can't cause a busy loop.
  private static let minimumReadInterval = TimeAmount.milliseconds(1)
  /// Bodies that update a subscriber to the latest version, by the version it has; all subscribers share them.
  private var bodies: [Int: ByteBuffer?] = [:]
  private var bodyBytes = 0
  /// The size in bytes beyond which cached bodies are dropped; they are built again when needed.
  private static let keptBytes = 1 << 20
  /// The key in ``bodies`` for a subscriber that has no values yet.
  private static let fromNothing = -1

  init(_ eventing: ServiceEventing) {
    style = eventing.style
    isWhole = eventing.isWhole
    leading = eventing.leading
    timing = EventTiming(interval: TimeAmount(eventing.moderation), leading: eventing.leading)
    windows = VariableWindows(eventing.variables)
  }

  /// The values that aren't read at `now`, because they can't be sent yet.
  func held(now: NIODeadline) -> HeldValues { windows.held(now: now) }

  /// False when any change has to wait for the end of the moderation window.
  mutating func mayRead(now: NIODeadline) -> Bool {
    let mayRead = timing.mayRead(now: now)
    if !mayRead { cancelOtherWakes() }
    return mayRead
  }

  /// True when `reading` may be sent now; otherwise it waits.
  mutating func maySend(_ reading: ServiceReading, now: NIODeadline) -> Bool {
    let sent = [publishedLead, latest.flatMap { lead(of: $0.values) }].compactMap { $0 }
    let maySend = timing.maySend(lead(of: reading.values), sent: Set(sent), now: now)
    if !maySend { cancelOtherWakes() }
    return maySend
  }

  /// While changes wait for ``timing``, no other time to read is needed: all values are read again when that wait ends.
  private mutating func cancelOtherWakes() {
    changesAt = nil
    windows.cancelWake()
  }

  private func lead(of values: [EventedValue]) -> String? {
    leading.flatMap { leading in values.first { $0.name == leading.name }?.value }
  }

  /// When the values have to be read again although nothing happens; nil for never.
  var nextWake: NIODeadline? { [timing.wake, windows.wake, changesAt].compactMap { $0 }.min() }

  /// True when the values are read again at `now` because they change by time, not because others have waited.
  func changesByTimeAlone(now: NIODeadline) -> Bool {
    (changesAt ?? .distantFuture) <= now && timing.wake == nil && (windows.wake ?? .distantFuture) > now
  }

  /// Stores the current values without sending them.
  mutating func note(_ reading: ServiceReading, now: NIODeadline) {
    changesAt = reading.nextChange.map { now + max(TimeAmount($0), Self.minimumReadInterval) }
    windows.note(reading.values, now: now)
    guard latest?.values != reading.values else { return }
    latest = EventSnapshot(version: (latest?.version ?? 0) + 1, values: reading.values)
    dropBodies()
  }

  /// True when some subscriber neither has the latest values nor is being sent them.
  var hasUnpublished: Bool { (latest?.version ?? 0) != published }

  /// Marks the latest values as those that every subscriber should have.
  mutating func publish() {
    timing.settle()
    published = latest?.version ?? 0
    publishedLead = latest.flatMap { lead(of: $0.values) }
  }

  /// Starts a moderation window, in which further changes are merged.
  mutating func startWindow(now: NIODeadline) { timing.startWindow(now: now) }

  /// Returns the message for a subscriber that has `known` (nil: nothing); nil when nothing has changed.
  mutating func body(from known: EventSnapshot?) -> ByteBuffer? {
    guard let latest else { return nil }
    let key = known?.version ?? Self.fromNothing
    if let body = bodies[key] { return body }
    let changed = known.map { PropertySet.difference(from: $0.values, to: latest.values) } ?? latest.values
    let values = isWhole && !changed.isEmpty ? latest.values : changed
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

  /// Drops the cached state of a service without subscribers.
  mutating func forget() {
    dropBodies()
    timing.forget()
    windows.cancelWake()
    changesAt = nil
  }
}
