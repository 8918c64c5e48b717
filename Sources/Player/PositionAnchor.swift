/// The playback position at one instant and its rate since then, from which the position at any time follows
/// without a timer.
public struct PositionAnchor: Sendable, Hashable {
  /// Position in the track at `instant`.
  public var position: Duration
  public var instant: PlayerInstant
  /// 1 while playing, else 0.
  public var rate: Int

  public init(position: Duration = .zero, instant: PlayerInstant, rate: Int = 0) {
    self.position = position
    self.instant = instant
    self.rate = rate
  }

  /// Position at `now`, within 0...`duration` (nil: unknown).
  public func position(at now: PlayerInstant, duration: Duration?) -> Duration {
    let reached = position + now.duration(since: instant) * rate
    let clamped = max(.zero, reached)
    return duration.map { min(clamped, $0) } ?? clamped
  }
}
