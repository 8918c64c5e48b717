/// When work is done before playback is requested, and how long its result is kept. Pure.
struct PreparationPlan {
  /// How long a prepared track is kept.
  private static let longest = Duration.seconds(10)
  /// If tracks are prepared in quick succession, only some of them are read.
  private static let betweenReads = Duration.milliseconds(200)
  /// The spare parts wait until more urgent work is done.
  private static let beforeSpare = Duration.milliseconds(50)

  /// When the prepared track is dropped.
  var expiry: MonotonicTime?
  /// When the spare parts for the next track are made.
  var spare: MonotonicTime?
  /// When the next prepared track may be read before it is started; nil: now.
  private var readAllowed: MonotonicTime?

  /// A track is prepared.
  mutating func keep(at now: MonotonicTime) { expiry = now + Self.longest }

  /// Whether a prepared track may be read now; the next one has to wait then.
  mutating func mayRead(at now: MonotonicTime) -> Bool {
    if let readAllowed, now < readAllowed { return false }
    readAllowed = now + Self.betweenReads
    return true
  }

  mutating func scheduleSpare(at now: MonotonicTime) { spare = now + Self.beforeSpare }
}
