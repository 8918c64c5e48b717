/// Where the sound is by the monotonic clock, for when the device itself can't tell any more. Pure.
struct PositionEstimate {
  private var position = Duration.zero
  private var time: MonotonicTime?

  init() {}

  /// Sound plays from `position` on.
  init(_ position: Duration, at time: MonotonicTime) {
    self.position = position
    self.time = time
  }

  /// - Parameter limit: the sound ends here at the latest.
  func position(at now: MonotonicTime, limit: Duration) -> Duration {
    guard let time else { return .zero }
    return min(position + now.passed(since: time), limit)
  }
}
