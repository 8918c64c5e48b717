/// Tells from what a renderer says of itself when files that are served to it aren't needed any more.
///
/// A machine: it is asked what it makes of each look at the renderer, and knows no clock but the one it is given.
struct PlayWatch: Sendable, Hashable {
  /// What a look at the renderer has shown.
  enum Look: Sendable, Hashable {
    /// It plays, pauses or buffers; `isOwn` if that is one of our files.
    case active(isOwn: Bool)
    case stopped
    /// It doesn't answer.
    case silent
  }

  enum End: Sendable, Hashable {
    /// The files have been played, or somebody has stopped them.
    case over
    /// Something else plays.
    case replaced
    case neverBegan
    case gone
  }

  /// How long a renderer may take to begin.
  static let beginning = Duration.seconds(30)
  /// How long it may be silent.
  static let silence = Duration.seconds(30)
  /// Between two tracks it may look as if it had stopped, or as if something else played.
  static let settling = Duration.milliseconds(2500)

  private let start: Duration
  /// False for what is to be played at some later time.
  private let beginsAtOnce: Bool
  private var hasBegun = false
  private var silentSince: Duration?
  private var awaySince: Duration?

  init(now: Duration, beginsAtOnce: Bool = true) {
    start = now
    self.beginsAtOnce = beginsAtOnce
  }

  /// Takes a look; returns why it was the last one that is needed.
  mutating func take(_ look: Look, now: Duration) -> End? {
    if look == .silent {
      let since = silentSince ?? now
      silentSince = since
      return now - since >= Self.silence ? .gone : nil
    }
    silentSince = nil
    if look == .active(isOwn: true) {
      hasBegun = true
      awaySince = nil
      return nil
    }
    guard hasBegun else {
      return beginsAtOnce && now - start >= Self.beginning ? .neverBegan : nil
    }
    let since = awaySince ?? now
    awaySince = since
    guard now - since >= Self.settling else { return nil }
    return look == .stopped ? .over : .replaced
  }
}
