/// What a reader of ``ServiceChanges`` is told.
public enum ServiceChange: Sendable, Hashable {
  /// All variables, when reading begins and after every interruption. What isn't among them isn't known any more.
  case all([ServiceValue])
  /// The variables that have changed, each with its latest value.
  case changed([ServiceValue])
  /// The device can't be reached, or refuses its events for now; changes may be missed until the next ``all(_:)``.
  case interrupted
}

/// Why a sequence of ``ServiceChanges`` has ended.
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
