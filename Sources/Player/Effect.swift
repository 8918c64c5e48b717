import Pins

/// An action outside of the player's state, as data that ``PlayerCore`` passes to its edge or output.
public enum Effect: Sendable, Hashable {
  case output(OutputRequest)
  /// Fetch and parse this container, and answer with ``PlayerCore/resolved(_:_:)`` within a bounded time. A
  /// late answer to a superseded request is ignored.
  case resolve(ResolveID, Media)
  /// Send ``Command/wake(_:)`` after this time. A wake-up that is no longer needed does no harm.
  case wake(after: Duration, WakeID)
  /// Store ``PlayerState/snapshot`` soon.
  case store
  /// Read the radio presets again and pass them on with ``RadioCommand/setPresets(_:)``; do nothing when that
  /// fails.
  case refreshPresets
  /// Find out what a pin stands for, and answer with ``PlayerCore/found(_:of:)`` within a bounded time. A late answer is ignored.
  case findPin(ResolveID, Pin)
  /// The pin that is looked for isn't wanted any more.
  case stopFindingPin
  case report(PlayerReport)
}
