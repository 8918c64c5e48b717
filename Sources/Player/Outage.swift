/// A period in which a track is unavailable: its server or the network is down, or the server answers but the
/// stream breaks off.
///
/// Decides after each failed attempt what comes next. The longest silence is bounded by the patience, the
/// number of attempts without progress by ``maxAttemptsWithoutProgress``. For a live stream only the patience counts, since
/// it has no position to advance.
struct Outage: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case tryAgain(after: Duration)
    /// The server is reachable; the track itself is unplayable.
    case trackIsBad
    /// Nothing was reachable for as long as the patience allows.
    case patienceIsOver
  }

  /// Maximum number of consecutive attempts that the server answered without progress.
  static let maxAttemptsWithoutProgress = 3
  /// Maximum time for such attempts, in case each of them takes long.
  static let maxTimeWithoutProgress = Duration.seconds(10)
  /// Least advance that counts as progress: a decoder may produce a few samples more or less from the same
  /// data.
  static let leastProgress = Duration.milliseconds(250)

  private var beginning: PlayerInstant
  /// The furthest position that was played.
  private(set) var reached: Duration
  private var fruitless = 0
  /// When the attempts without progress began; nil while there are none.
  private var fruitlessSince: PlayerInstant?
  /// When the last attempt failed, if the server had answered it; else nil.
  private var lastAnswered: PlayerInstant?
  /// Number of failed attempts since the track was last heard.
  private(set) var failures = 0

  /// An outage that begins at `position`.
  init(at position: Duration, now: PlayerInstant) {
    beginning = now
    reached = position
  }

  /// Records a failed attempt that reached `position`, and returns what to do. The first failure of the track
  /// counts too.
  ///
  /// - Parameters:
  ///   - failure: a failure that may pass.
  ///   - isLive: whether the track is now known to be a live stream. Its first attempts can't tell.
  mutating func failed(
    _ failure: PlaybackFailure, at position: Duration, isLive: Bool = false, now: PlayerInstant,
    patience: Duration
  ) -> Step {
    if position >= reached + Self.leastProgress {
      self = Outage(at: position, now: now)
    } else if failures > 0 {
      countFruitless(failure, now)
    }
    lastAnswered = failure.trouble == .server ? now : nil
    let left = patience - now.duration(since: beginning)
    if (!isLive && isFruitless(now)) || (left <= .zero && failure.trouble == .server) { return .trackIsBad }
    if left <= .zero { return .patienceIsOver }
    let pause = BackOff.pause(after: failures, most: BackOff.longestForTracks)
    failures += 1
    return .tryAgain(after: min(pause, left))
  }

  private mutating func countFruitless(_ failure: PlaybackFailure, _ now: PlayerInstant) {
    if failure.trouble == .server {
      fruitless += 1
      fruitlessSince = fruitlessSince ?? lastAnswered ?? now
    } else {
      fruitless = 0
      fruitlessSince = nil
    }
  }

  private func isFruitless(_ now: PlayerInstant) -> Bool {
    guard let fruitlessSince else { return false }
    return fruitless >= Self.maxAttemptsWithoutProgress
      || now.duration(since: fruitlessSince) >= Self.maxTimeWithoutProgress
  }
}
