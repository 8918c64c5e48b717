/// Commands of UPnP AV control points.
extension Transition {
  mutating func perform(_ command: AVCommand) throws(PlayerError) {
    switch command {
    case .setMedia(let media): try setMedia(media)
    case .setNextMedia(let media): try setNextMedia(media)
    case .play: try play()
    case .pause: try pause()
    case .stop: try stopShown()
    case .seek(let position): try seek(to: position)
    case .seekTrack(let number): try seekTrack(number)
    case .next: try skip(.ahead)
    case .previous: try skip(.back)
    case .setPlayMode(let mode): setPlayMode(mode)
    }
  }

  // MARK: Media

  /// Sets the cast's media, which never starts, stops or pauses anything. A playing cast continues with the
  /// new media: a control point that casts a second track expects to hear it. Another source plays on until
  /// Play.
  private mutating func setMedia(_ media: Media?) throws(PlayerError) {
    if let media { try state.configuration.uriPolicy.check(media) }
    state.av.replace(with: media.map { content(for: $0) } ?? .empty)
    state.avFocus = media == nil ? .others : .cast
    if state.activeSource == .upnpAV {
      state.failure = nil
      state.failuresInRow = 0
      trackChanged()
    }
    state.av.isAwaited = media != nil && state.transport(of: .upnpAV) == .stopped
    // Play usually follows.
    if state.transport == .stopped, !state.isStandby, case .track(let media) = state.av.cue {
      request(.prepare(media))
    }
  }

  /// Sets the next media, which belongs to the cast that Play applies to, even if another source is shown. Refused
  /// without one.
  private mutating func setNextMedia(_ media: Media?) throws(PlayerError) {
    guard state.avPlayed == .upnpAV else { throw .transitionNotAvailable }
    if let media { try state.configuration.uriPolicy.check(media) }
    state.av.replaceNext(with: media.map { content(for: $0) } ?? .empty)
    // Failures of skipped tracks don't count against the new one.
    if state.activeSource == .upnpAV { state.failuresInRow = state.av.skipped }
  }

  private mutating func setPlayMode(_ mode: PlayMode) {
    guard mode != state.av.playMode else { return }
    state.av.setPlayMode(mode, using: &state.random)
    if state.activeSource == .upnpAV { state.failuresInRow = 0 }
  }

  /// The source to which an action applies. Whoever controls another source means it with the next Play, too.
  private mutating func shown() throws(PlayerError) -> SourceKind {
    guard let source = state.avShown else { throw .transitionNotAvailable }
    if source != .upnpAV { state.av.isAwaited = false }
    if source == state.activeSource { activeSourceControlled() }
    return source
  }

  // MARK: Transport

  private mutating func play() throws(PlayerError) {
    guard let source = state.avPlayed else { throw .transitionNotAvailable }
    if source == .upnpAV {
      takeOver()
      run()
    } else if state.transport == .stopped {
      try state.rules(of: source).play(&self)
    } else {
      run()
    }
  }

  private mutating func pause() throws(PlayerError) {
    let source = try shown()
    guard state.transport(of: source) != .stopped, state.canBeHeld(source) else {
      throw .transitionNotAvailable
    }
    hold()
  }

  /// Stops, and keeps the next media: no specification lets Stop clear what was set, and control points that
  /// set a track and its follower expect Play to continue with both. Only new media clears it.
  mutating func stopShown() throws(PlayerError) {
    let source = try shown()
    // A cast that waits for Play is already stopped, so Stop ends what plays instead.
    guard state.transport != .stopped else { return }
    halt()
    if source != .upnpAV { state.avFocus = .stoppedOthers }
  }

  // MARK: Seeking

  /// Seeks to a position. The state is checked before the target (UPnP AVTransport:1: 701, then 710, then
  /// 711).
  private mutating func seek(to position: Duration) throws(PlayerError) {
    let source = try shown()
    guard state.canReach(position, in: source) else { throw .illegalSeekTarget }
    if source == state.activeSource { go(to: position) } else { state.av.rest.position = position }
  }

  private mutating func seekTrack(_ number: Int) throws(PlayerError) {
    let source = try shown()
    guard (1...state.avNumberOfTracks).contains(number) else { throw .illegalSeekTarget }
    if source == .upnpAV, number != state.av.trackNumber {
      state.av.take(trackNumber: number)
      moved(in: source)
    } else if source == state.activeSource {
      state.failuresInRow = 0
      restart()
    } else {
      state.av.rest.position = .zero
    }
  }

  /// Next and Previous are shorthand for Seek to another track (UPnP AVTransport:1): unlike those of OpenHome, they
  /// don't start anything, and don't leave standby.
  private mutating func skip(_ direction: SkipDirection) throws(PlayerError) {
    let source = try shown()
    guard state.hasTrack(direction, of: source) else { throw .illegalSeekTarget }
    move(direction, in: source)
  }

  /// Moves to another track, and keeps the transport state.
  mutating func move(_ direction: SkipDirection, in source: SourceKind) {
    if state.change(source, .move(direction)) { moved(in: source) }
  }

  /// Handles a move to another track. A source that isn't active is a cast.
  private mutating func moved(in source: SourceKind) {
    if source == state.activeSource {
      state.failuresInRow = 0
      trackChanged()
    } else {
      state.av.rest = SavedCastState()
    }
  }
}
