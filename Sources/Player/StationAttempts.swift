/// Limits how many of a station's addresses are tried in a row, how fast, and for how long.
///
/// The list of addresses comes from a third party and may name servers that have nothing to do with the
/// station.
struct StationAttempts: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case next(after: Duration)
    case enough
  }

  /// Number of failed addresses after which the player gives up.
  static let most = 20
  /// Number of addresses tried without a pause: a station has a few servers, and the first of them may be
  /// down.
  static let mostAtOnce = 5
  /// Longest pause between later attempts, in seconds.
  static let longestPause = 4
  /// Total time for all attempts.
  static let longest = Duration.seconds(60)

  private(set) var failures = 0
  private var beginning: PlayerInstant?

  /// Records the failure of an address and returns what to do next.
  mutating func failed(now: PlayerInstant) -> Step {
    let beginning = self.beginning ?? now
    self.beginning = beginning
    failures += 1
    let pause =
      failures < Self.mostAtOnce
      ? .zero : BackOff.pause(after: failures - Self.mostAtOnce, most: Self.longestPause)
    let isEnough = failures >= Self.most || now.duration(since: beginning) + pause >= Self.longest
    return isEnough ? .enough : .next(after: pause)
  }
}
