/// Where playback was at one instant, and how fast it moves since: enough to know the position at any time
/// without a timer.
public struct PositionAnchor: Sendable, Hashable {
  /// Position in the track at `instant`.
  public var position: Duration
  public var instant: PlayerInstant
  /// 1 while sound runs, 0 while it stands still.
  public var rate: Int

  public init(position: Duration = .zero, instant: PlayerInstant, rate: Int = 0) {
    self.position = position
    self.instant = instant
    self.rate = rate
  }

  /// Position at `now`, never before the start of the track nor behind `duration` (nil: unknown).
  public func position(at now: PlayerInstant, duration: Duration?) -> Duration {
    let reached = position + now.duration(since: instant) * rate
    let clamped = max(.zero, reached)
    return duration.map { min(clamped, $0) } ?? clamped
  }
}
