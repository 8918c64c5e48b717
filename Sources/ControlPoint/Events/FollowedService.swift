import Network

/// A service that is subscribed to, and who reads its changes.
struct FollowedService: Sendable {
  /// The two ends of the way to the device.
  struct Path: Sendable, Hashable {
    var device: ServiceAddress
    var own: IPAddress
  }

  var location: ServiceLocation
  var machine: EventSubscription
  /// Nil when no interface reaches the device.
  var path: Path?
  private(set) var readers: [ObjectIdentifier: ChangeInbox] = [:]
  /// What the device has told; nil before it has told anything.
  private var known: ValueTable?

  init(location: ServiceLocation, machine: EventSubscription, path: Path?) {
    self.location = location
    self.machine = machine
    self.path = path
  }

  /// Adds a reader, which is told first what is known.
  mutating func add(_ inbox: ChangeInbox) {
    readers[ObjectIdentifier(inbox)] = inbox
    if let known { inbox.put(.all(known.values)) }
    if machine.isInterrupted { inbox.put(.interrupted) }
  }

  /// Removes a reader; false when it isn't one any more.
  mutating func remove(_ inbox: ChangeInbox) -> Bool {
    readers.removeValue(forKey: ObjectIdentifier(inbox)) != nil
  }

  mutating func put(_ change: ServiceChange) {
    switch change {
    case .all(let values): known = ValueTable(values)
    // Without the rest, these aren't everything.
    case .changed(let values): known?.set(values)
    case .interrupted: break
    }
    for inbox in readers.values { inbox.put(change) }
  }

  mutating func end(_ reason: ChangesEnd) {
    for inbox in readers.values { inbox.end(reason) }
    readers = [:]
    known = nil
  }
}
