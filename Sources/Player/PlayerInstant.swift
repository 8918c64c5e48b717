/// A reading of a monotonic clock: nanoseconds since an arbitrary origin.
///
/// The player never reads a clock itself; every input carries its instant.
public struct PlayerInstant: Sendable, Hashable, Comparable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Time from `earlier` to this instant; negative when `earlier` is later.
  public func duration(since earlier: PlayerInstant) -> Duration {
    .nanoseconds(nanoseconds - earlier.nanoseconds)
  }

  public static func < (left: PlayerInstant, right: PlayerInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
