/// A source of the player: what it has to play, what follows, and what may be done with it.
///
/// A source is a value in ``PlayerState`` that doesn't know the transport. Only ``track`` has no default: the defaults
/// suit a source with one track and nothing that follows.
protocol PlayerSource: Sendable, Equatable {
  // MARK: What it has

  /// The track that plays, or would play.
  var track: Media? { get }
  /// Tells the current track from others with the same ``track``.
  var trackID: UInt32 { get }
  /// What is ready for the transport.
  var cue: Cue { get }
  /// Whether its tracks are stations. A station counts as a live stream until proved otherwise, and Pause stops one that
  /// reconnects.
  var playsStations: Bool { get }
  /// Whether its streams have no end and no place to go to, whatever the output finds out.
  var isAlwaysLive: Bool { get }
  /// Whether `media` may be opened.
  func allows(_ media: Media, by policy: URIPolicy) -> Bool
  /// Stores what survives a restart, besides tracks and position.
  func save(in saved: inout SavedPlayer)
  /// Whether the position in the track can survive a restart.
  var canResume: Bool { get }

  // MARK: What follows

  /// The track that should follow without a gap; nil when there is none or it isn't known yet.
  var follower: Media? { get }
  /// Number of tracks right after the current one that are known to be unplayable.
  var skipped: Int { get }
  /// Why the follower was dropped. Becomes the player's failure when the current track has ended.
  var lookaheadFailure: PlaybackFailure? { get }
  /// True when an unplayable track is skipped in favour of the next one.
  var skipsBrokenTracks: Bool { get }

  // MARK: What may be done

  /// Whether a control point's Next or Previous leads to a track.
  func hasTrack(_ direction: SkipDirection) -> Bool
  /// Whether Next or Previous is supported (OpenHome Transport:1, ModeInfo).
  func canSkip(_ direction: SkipDirection) -> Bool
  var canRepeat: Bool { get }
  var canShuffle: Bool { get }
  /// Whether even a live stream is paused, rather than stopped.
  var canPauseLive: Bool { get }

  // MARK: Changes that the transport asks for; see ``SourceChange``

  mutating func open(_ content: MediaContent, using random: inout SplitMix64)
  mutating func prepareFollower(using random: inout SplitMix64)
  mutating func advance(using random: inout SplitMix64) -> Bool
  mutating func move(_ direction: SkipDirection, using random: inout SplitMix64) -> Bool
  mutating func rewind(using random: inout SplitMix64)
  mutating func dropFollower(because failure: PlaybackFailure)
  mutating func takeSkipped(using random: inout SplitMix64)
  mutating func dataArrived()
  mutating func heard()
  mutating func streamTrackChanged(_ media: Media)
  mutating func streamTextChanged(_ text: String)

  // MARK: Rules that change more than the source

  /// Called after the source became active.
  static func selected(_ transition: inout Transition)
  /// Called before another source becomes active.
  static func left(_ transition: inout Transition)
  /// Play of the active source. Ignored when there is nothing to play.
  static func play(_ transition: inout Transition) throws(PlayerError)
  static func stop(_ transition: inout Transition)
  /// Next or Previous of the active source. Throws `notSupported`.
  static func skip(_ direction: SkipDirection, _ transition: inout Transition) throws(PlayerError)
  /// Handles a failure of the current track.
  static func failed(_ failure: PlaybackFailure, _ transition: inout Transition)
  /// Called before the next attempt to open a stream that was lost.
  static func willReconnect(_ transition: inout Transition)
}

extension PlayerSource {
  var rules: any PlayerSource.Type { Self.self }

  var trackID: UInt32 { 0 }
  var cue: Cue { track.map { .track($0) } ?? .nothing }
  var playsStations: Bool { false }
  var isAlwaysLive: Bool { false }
  func allows(_ media: Media, by policy: URIPolicy) -> Bool { policy.allows(media.uri) }
  func save(in saved: inout SavedPlayer) {}
  var canResume: Bool { false }

  var follower: Media? { nil }
  var skipped: Int { 0 }
  var lookaheadFailure: PlaybackFailure? { nil }
  var skipsBrokenTracks: Bool { false }

  func hasTrack(_ direction: SkipDirection) -> Bool { false }
  func canSkip(_ direction: SkipDirection) -> Bool { hasTrack(direction) }
  var canRepeat: Bool { false }
  var canShuffle: Bool { false }
  var canPauseLive: Bool { false }

  mutating func open(_ content: MediaContent, using random: inout SplitMix64) {}
  mutating func prepareFollower(using random: inout SplitMix64) {}
  mutating func advance(using random: inout SplitMix64) -> Bool { false }
  mutating func move(_ direction: SkipDirection, using random: inout SplitMix64) -> Bool { false }
  mutating func rewind(using random: inout SplitMix64) {}
  mutating func dropFollower(because failure: PlaybackFailure) {}
  mutating func takeSkipped(using random: inout SplitMix64) {}
  mutating func dataArrived() {}
  mutating func heard() {}
  mutating func streamTrackChanged(_ media: Media) {}
  mutating func streamTextChanged(_ text: String) {}

  static func selected(_ transition: inout Transition) {}
  static func left(_ transition: inout Transition) {}
  static func play(_ transition: inout Transition) throws(PlayerError) {
    if transition.state.cue.isSomething { transition.run() }
  }
  static func stop(_ transition: inout Transition) { transition.halt() }
  static func skip(_ direction: SkipDirection, _ transition: inout Transition) throws(PlayerError) {
    let source = transition.state.activeSource
    guard transition.state.hasTrack(direction, of: source) else { throw .notSupported }
    transition.leaveStandby(choosingSource: false)
    transition.move(direction, in: source)
  }
  static func failed(_ failure: PlaybackFailure, _ transition: inout Transition) {
    transition.waitOrSkip(failure)
  }
  static func willReconnect(_ transition: inout Transition) {}
}
