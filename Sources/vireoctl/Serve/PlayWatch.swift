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
    /// The renderer took it, and stopped without having played anything of it.
    case notPlayed
    case gone
  }

  /// How long a renderer may take to begin.
  static let beginning = Duration.seconds(30)
  /// After this time, a renderer that has read something and isn't active has played it: it was too short to be seen.
  static let reading = Duration.seconds(10)
  /// What is active for so long has been played.
  static let hearing = Duration.seconds(5)
  /// How long it may be silent.
  static let silence = Duration.seconds(30)
  /// Between two tracks it may look as if it had stopped, or as if something else played.
  static let settling = Duration.milliseconds(2500)

  private let start: Duration
  /// False for what is to be played at some later time.
  private let beginsAtOnce: Bool
  private var hasBegun = false
  /// The renderer has called one of the files by the address that it was given.
  private var isNamed = false
  /// Something of it has been played.
  private var wasHeard = false
  private var activeSince: Duration?
  private var silentSince: Duration?
  private var awaySince: Duration?

  init(now: Duration, beginsAtOnce: Bool = true) {
    start = now
    self.beginsAtOnce = beginsAtOnce
  }

  /// Takes a look; returns why it was the last one that is needed.
  ///
  /// - Parameters:
  ///   - isRead: whether the renderer has read something of a file: it has begun then, even if it calls the file something
  ///     else.
  ///   - isHeard: whether the renderer says something of the track that it knows from playing it.
  mutating func take(_ look: Look, isRead: Bool = false, isHeard: Bool = true, now: Duration) -> End? {
    if look == .silent {
      let since = silentSince ?? now
      silentSince = since
      return now - since >= Self.silence ? .gone : nil
    }
    silentSince = nil
    if look == .active(isOwn: true) || isRead && !isNamed && look != .stopped {
      hasBegun = true
      let since = activeSince ?? now
      activeSince = since
      // What is active for so long plays, even if the renderer says nothing of it.
      wasHeard = wasHeard || isHeard || now - since >= Self.hearing
      isNamed = isNamed || look == .active(isOwn: true)
      awaySince = nil
      return nil
    }
    guard hasBegun else {
      guard beginsAtOnce, now - start >= (isRead ? Self.reading : Self.beginning) else { return nil }
      return isRead ? isHeard ? .over : .notPlayed : .neverBegan
    }
    if look == .stopped, isHeard { wasHeard = true }
    let since = awaySince ?? now
    awaySince = since
    guard now - since >= Self.settling else { return nil }
    return look == .stopped ? wasHeard ? .over : .notPlayed : .replaced
  }
}
