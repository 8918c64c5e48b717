/// A watch for a condition that has to last.
struct DurationWatch: Sendable, Equatable {
  /// When it began; nil while it doesn't hold.
  var beginning: PlayerInstant?
  /// The outstanding wake-up.
  var wake: WakeID?
}
