/// Fading out before the sound stops, because a cut clicks. Pure; the engine closes the device's entry.
///
/// The device goes on until the faded samples have been heard. Those in its own buffer are heard before them, unfaded:
/// they are out of reach.
struct FadeOut: Equatable {
  /// What follows.
  enum Purpose: Equatable {
    /// Playback pauses immediately after the last sample that was heard.
    case pause
    /// The track with this number goes on at this position, in nanoseconds: other rooms hear what they have been sent.
    case seek(Int, to: UInt)
    /// The device is emptied and ``EngineMachine/heard``, if any, begins. `releasing`: on a device that is opened anew.
    case end(releasing: Bool)
  }

  /// A fade that takes longer is cut short.
  private static let longest = Duration.seconds(1)
  /// The device's clock and the monotonic clock differ a little.
  private static let shortestWait = Duration.milliseconds(2)

  /// Nil while nothing fades out.
  private(set) var purpose: Purpose?
  /// When the sound has faded out.
  var deadline: MonotonicTime?
  private var limit: MonotonicTime?

  /// The previous sound is fading out, and nothing else may use the device yet.
  var isToEnd: Bool { if case .end = purpose { true } else { false } }

  /// Fades out and then does `purpose`, which replaces an earlier one. True if the fade begins only now.
  mutating func begin(_ purpose: Purpose, at now: MonotonicTime) -> Bool {
    let isNew = self.purpose == nil
    self.purpose = purpose
    guard isNew else { return false }
    limit = now + Self.longest
    deadline = limit
    return true
  }

  /// The faded samples are in the device, which plays for another `rest`.
  mutating func isInDevice(for rest: Duration, at now: MonotonicTime) {
    guard purpose != nil, let limit else { return }
    deadline = min(limit, now + rest)
  }

  /// ``deadline`` has passed. Returns what follows; nil if the sound goes on for a moment.
  ///
  /// - Parameter rest: how long the device still plays the faded samples; nil if they aren't in it yet.
  mutating func end(rest: Duration?, at now: MonotonicTime) -> Purpose? {
    guard let purpose, let limit else { return nil }
    if now < limit, let rest, rest > .zero {
      deadline = max(min(limit, now + rest), now + Self.shortestWait)
      return nil
    }
    self = FadeOut()
    return purpose
  }

  /// The device is closed afterwards, if the fade ends the sound.
  mutating func release() {
    if isToEnd { purpose = .end(releasing: true) }
  }
}
