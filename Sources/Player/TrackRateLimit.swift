/// Limits how fast tracks follow each other on their own.
///
/// Each track is a request to its server. A repeated list of tracks of a few milliseconds would send a
/// hundred requests a second until somebody stops it. ``most`` tracks in a row may be arbitrarily short;
/// after that, one track per second starts.
struct TrackRateLimit: Sendable, Equatable {
  static let most = 60
  static let interval = Duration.seconds(1)

  private var debt = Duration.zero
  private var counted: PlayerInstant?

  /// How long the next track has to wait.
  func pause(at now: PlayerInstant) -> Duration {
    max(.zero, debt(at: now) - Self.interval * (Self.most - 1))
  }

  /// Records that a track begins after the returned pause.
  mutating func began(at now: PlayerInstant) -> Duration {
    let pause = pause(at: now)
    debt = debt(at: now) + Self.interval
    counted = now
    return pause
  }

  private func debt(at now: PlayerInstant) -> Duration {
    guard let counted else { return .zero }
    return max(.zero, debt - now.duration(since: counted))
  }
}
