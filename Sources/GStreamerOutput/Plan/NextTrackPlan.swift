import Player

/// The next track: known long before, opened shortly before it is due, and again if that fails. Pure.
///
/// A connection that is opened a whole track ahead would be idle for minutes, and often dead by then.
struct NextTrackPlan {
  /// How long before it is due the next track is opened.
  static let openedAhead = Duration.seconds(30)

  private(set) var wanted: NextTrack?
  /// How many attempts to open ``wanted`` have failed.
  private(set) var failures = 0
  /// When it is opened.
  var deadline: MonotonicTime?

  /// Whether it may be opened before its turn to be tried again.
  var isUntried: Bool { failures == 0 }

  /// `next` follows the heard track; nil: nothing does.
  mutating func want(_ next: NextTrack?) {
    if next?.id != wanted?.id { failures = 0 }
    wanted = next
  }

  /// Schedules the opening. True if it is to be opened now.
  ///
  /// - Parameters:
  ///   - wait: ``opening(duration:position:isComplete:)`` of the heard track.
  ///   - isPlaying: nothing is due while it is silent; resuming schedules it again.
  mutating func schedule(after wait: Duration?, isPlaying: Bool, at now: MonotonicTime) -> Bool {
    deadline = nil
    guard let wait else { return true }
    if isPlaying { deadline = now + wait }
    return false
  }

  /// Returns the track to be opened now.
  mutating func open() -> NextTrack? {
    if wanted != nil { deadline = nil }
    return wanted
  }

  /// The attempt to open `id` has failed. Returns the pause before the next attempt; nil if there is none.
  ///
  /// - Parameter isDue: it should be heard by now.
  mutating func failed(_ id: PlayID, mayPass: Bool, isDue: Bool, at now: MonotonicTime) -> Duration? {
    guard mayPass, !isDue, wanted?.id == id else {
      drop()
      return nil
    }
    let pause = BackOff.pause(after: failures, most: BackOff.longestForTracks)
    failures += 1
    deadline = now + pause
    return pause
  }

  /// Nothing follows, or what follows has begun.
  mutating func drop() {
    want(nil)
    deadline = nil
  }

  /// How long until the next track is to be opened; nil: now.
  ///
  /// - Parameter isComplete: whether all of the heard track has come, whatever its stated duration.
  static func opening(duration: Duration?, position: Duration, isComplete: Bool) -> Duration? {
    guard let duration, !isComplete else { return nil }
    let wait = duration - position - openedAhead
    return wait > .zero ? wait : nil
  }
}
