/// What a reader of a service's changes is told.
public enum EventedChange<Values: Sendable>: Sendable {
  /// All variables, when reading begins and after every interruption. What isn't among them isn't known any more.
  case all(Values)
  /// The variables that have changed, each with its latest value.
  case changed(Values)
  /// The device can't be reached, or refuses its events for now; changes may be missed until the next ``all(_:)``.
  case interrupted

  /// The same with other values.
  public func map<Other: Sendable>(_ read: (Values) -> Other) -> EventedChange<Other> {
    switch self {
    case .all(let values): .all(read(values))
    case .changed(let values): .changed(read(values))
    case .interrupted: .interrupted
    }
  }
}

extension EventedChange: Equatable where Values: Equatable {}
extension EventedChange: Hashable where Values: Hashable {}

/// What a reader of a ``ChangeSequence`` is told: values as on the wire.
public typealias ServiceChange = EventedChange<[ServiceValue]>

/// Why the changes of a service have ended.
public enum ChangesEnd: Error, Sendable, Hashable {
  /// The service has no events; its values must be asked for.
  case noEvents
  /// The device refused the first subscription with this HTTP status, which means that it has no events there.
  case refused(Int)
  /// The device has left the network.
  case deviceGone
  /// There are too many subscriptions, or too many readers of this one.
  case tooMany
  /// This control point has stopped.
  case stopped
}
