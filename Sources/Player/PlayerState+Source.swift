/// How the rest of the player reaches a source, whichever it is.
extension PlayerState {
  // MARK: Finding a source; a new one is added here

  /// Asks a source. Inlined, so that the source is neither boxed nor copied.
  @inline(__always)
  func ask<Answer>(_ source: SourceKind, _ question: (any PlayerSource) -> Answer) -> Answer {
    switch source {
    case .playlist: question(playlist)
    case .radio: question(radio)
    case .receiver: question(receiver)
    case .upnpAV: question(av)
    }
  }

  /// Changes a source. Returns false when the change leads nowhere.
  @discardableResult
  mutating func change(_ source: SourceKind, _ change: SourceChange) -> Bool {
    switch source {
    case .playlist: playlist.apply(change, using: &random)
    case .radio: radio.apply(change, using: &random)
    case .receiver: receiver.apply(change, using: &random)
    case .upnpAV: av.apply(change, using: &random)
    }
  }

  /// The type of a source, which has the rules that change more than the source.
  func rules(of source: SourceKind) -> any PlayerSource.Type { ask(source) { $0.rules } }

  // MARK: Any source

  func track(of source: SourceKind) -> Media? { ask(source) { $0.track } }

  /// Whether Next or Previous leads to a track.
  func hasTrack(_ direction: SkipDirection, of source: SourceKind) -> Bool {
    ask(source) { $0.hasTrack(direction) }
  }

  /// False for a live stream that can only be stopped.
  func canBeHeld(_ source: SourceKind) -> Bool { ask(source) { $0.canPauseLive } || !isLive(source) }

  // MARK: The active source

  /// The active source's current track: the one that plays, or would play. For radio this is the chosen
  /// station.
  public var currentTrack: Media? { track(of: activeSource) }

  /// The track that follows the current one, as far as that is known.
  public var nextTrack: Media? { follower }

  /// What would be accepted for the active source now and would have an effect.
  public var activeActions: Set<TransportAction> {
    guard !isStandby else { return [] }
    var actions: Set<TransportAction> = []
    switch transport.continuation {
    case nil: actions = currentTrack == nil && awaitedSource == nil ? [] : [.play]
    case .playing: actions = canBeHeld(activeSource) ? [.pause, .stop] : [.stop]
    case .paused, .cued: actions = [.play, .stop]
    }
    if cue.isSomething, canReach(.zero, in: activeSource) { actions.insert(.seek) }
    if hasTrack(.ahead, of: activeSource) { actions.insert(.next) }
    if hasTrack(.back, of: activeSource) { actions.insert(.previous) }
    return actions
  }

  /// Whether the active source's tracks are stations.
  public var playsStations: Bool { ask(activeSource) { $0.playsStations } }

  /// What the active source has ready for the transport.
  var cue: Cue { ask(activeSource) { $0.cue } }

  /// The track that should follow the current one without a gap; nil when there is none or it isn't known
  /// yet.
  var follower: Media? { hasFailedTooOften ? nil : ask(activeSource) { $0.follower } }

  var hasFailedTooOften: Bool { failuresInRow >= configuration.maximumFailures }

  /// Whether playback stops only because too many tracks in a row have failed: others follow.
  var givesUp: Bool {
    hasFailedTooOften && ask(activeSource) { $0.skipsBrokenTracks && $0.follower != nil }
  }

  /// Makes the follower current; returns false when there is none.
  mutating func advance() -> Bool { !hasFailedTooOften && change(activeSource, .advance) }

  /// Clears the failures when a track is heard.
  mutating func forgiveFailures() {
    failure = nil
    failuresInRow = ask(activeSource) { $0.skipped }
    change(activeSource, .heard)
  }

  /// Skips the follower because it is unplayable.
  mutating func dropFollower(because failure: PlaybackFailure) {
    failuresInRow += 1
    change(activeSource, .dropFollower(because: failure))
  }
}
