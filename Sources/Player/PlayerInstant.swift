/// A reading of a monotonic clock: nanoseconds since an origin of the clock's own choice.
///
/// The player never reads a clock itself; every input carries the instant at which it happened.
public struct PlayerInstant: Sendable, Hashable, Comparable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Time from `earlier` to this instant; negative when `earlier` is in fact later.
  public func duration(since earlier: PlayerInstant) -> Duration {
    .nanoseconds(nanoseconds - earlier.nanoseconds)
  }

  public static func < (left: PlayerInstant, right: PlayerInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
