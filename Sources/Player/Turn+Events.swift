extension OutputEvent {
  /// The attempt that the event is about.
  public var playID: PlayID {
    switch self {
    case .started(let id), .playing(let id, _), .paused(let id, _), .buffering(let id), .duration(let id, _),
      .seekable(let id, _), .details(let id, _), .tags(let id, _), .ended(let id), .failed(let id, _):
      id
    }
  }
}

extension Turn {
  mutating func receive(_ event: OutputEvent) {
    guard let current = state.transport.playID else { return }
    let id = event.playID
    if id == current {
      receiveForCurrent(event, id)
    } else if let offer = state.offer, id == offer.track.id {
      receiveForNext(event, offer)
    } else if case .started = event, id > current {
      // The output went on to a next track that had been withdrawn too late.
      trackEnded()
    }
  }

  // MARK: The current track

  private mutating func receiveForCurrent(_ event: OutputEvent, _ id: PlayID) {
    switch event {
    case .started: started(id)
    case .playing(_, let position): soundRuns(id, at: position)
    case .paused(_, let position): silent(id, at: position)
    case .buffering: waits(id)
    case .ended: trackEnded()
    case .failed(_, let failure): trackFailed(failure)
    case .details:
      _ = state.facts.learn(from: event)
      if state.activeSource == .radio { state.radio.link.hasSent = true }
    case .duration, .seekable, .tags: _ = state.facts.learn(from: event)
    }
  }

  private mutating func started(_ id: PlayID) {
    heard(gapless: false)
    switch state.transport {
    case .loading(_, .playing), .buffering(_, .playing): soundRuns(id, at: state.anchor.position)
    case .loading, .buffering, .playing, .paused, .stopped, .resolving, .reconnecting: break
    }
  }

  private mutating func heard(gapless: Bool) {
    state.forgiveFailures()
    if let media = state.currentTrack { report(.started(media, gapless: gapless)) }
  }

  private mutating func soundRuns(_ id: PlayID, at position: Duration) {
    switch state.transport {
    case .loading(_, .playing), .buffering(_, .playing), .playing:
      state.transport = .playing(id)
      state.anchor = PositionAnchor(position: position, instant: now, rate: 1)
    // Said before the output came to know that it is to be silent.
    case .loading, .buffering, .paused, .stopped, .resolving, .reconnecting: break
    }
  }

  private mutating func silent(_ id: PlayID, at position: Duration) {
    switch state.transport {
    case .loading(_, .paused), .loading(_, .cued), .buffering(_, .paused), .buffering(_, .cued), .paused:
      state.transport = .paused(id)
      state.anchor = PositionAnchor(position: position, instant: now)
    // Said before the output came to know that it is to play.
    case .loading, .buffering, .playing, .stopped, .resolving, .reconnecting: break
    }
  }

  private mutating func waits(_ id: PlayID) {
    switch state.transport {
    case .playing:
      state.transport = .buffering(id, .playing)
      state.anchor = PositionAnchor(position: state.position(at: now), instant: now)
    case .paused: state.transport = .buffering(id, .cued)
    case .loading, .buffering, .stopped, .resolving, .reconnecting: break
    }
  }

  private mutating func trackEnded() {
    if case .loading = state.transport, state.anchor.position == .zero {
      // Without this, repeating an empty track would never come to rest. Beginning at the very end is no fault.
      trackFailed(PlaybackFailure(.corrupt, "The track ended before anything of it was heard."))
      return
    }
    if state.activeSource == .radio, state.isLive {
      stationFailed(PlaybackFailure(.unreachable, "The station has stopped sending."))
      return
    }
    if goOn() { return }
    let last = state.currentTrack
    if let last { report(.finished(last)) }
    halt(because: state.lookaheadFailure)
    state.rewind()
    if state.currentTrack != last { state.facts = TrackFacts() }
  }

  mutating func trackFailed(_ failure: PlaybackFailure) {
    if state.activeSource == .radio { return stationFailed(failure) }
    let broken = state.currentTrack
    state.failuresInRow += 1
    // No other track would fare better without a sound device.
    if state.skipsBrokenTracks, failure.kind != .device, goOn() {
      if let broken { report(.skipped(broken, failure)) }
    } else {
      if let broken { report(.failed(broken, failure)) }
      halt(because: failure)
    }
  }

  /// Plays what follows; false when nothing does.
  private mutating func goOn() -> Bool {
    let before = state.currentTrack
    guard state.advance() else { return false }
    if state.currentTrack == before { restart() } else { trackChanged() }
    return true
  }

  // MARK: The next track

  private mutating func receiveForNext(_ event: OutputEvent, _ offer: PlayerState.Offer) {
    switch event {
    case .started: takeOver(offer)
    case .failed(_, let failure): nextFailed(offer, failure)
    case .duration, .seekable, .details, .tags: _ = state.offer?.facts.learn(from: event)
    // Nothing of it is heard yet.
    case .playing, .paused, .buffering, .ended: break
    }
  }

  /// The output has gone on to the next track by itself.
  private mutating func takeOver(_ offer: PlayerState.Offer) {
    let before = state.currentTrack
    guard state.advance() else { return }
    let id = offer.track.id
    state.offer = nil
    state.facts = state.currentTrack == before ? offer.facts.completed(by: state.facts) : offer.facts
    switch state.transport {
    case .paused, .loading(_, .paused), .loading(_, .cued), .buffering(_, .paused), .buffering(_, .cued):
      // The pause named the track before and may have come too late for it.
      request(.pause(id))
      state.transport = .paused(id)
      state.anchor = PositionAnchor(instant: now)
    case .loading, .buffering, .playing, .stopped, .resolving, .reconnecting:
      state.transport = .playing(id)
      state.anchor = PositionAnchor(instant: now, rate: 1)
    }
    heard(gapless: true)
  }

  /// The current track plays on. What can't follow it is dropped now; if nothing else follows, the failure shows
  /// when the current track has ended.
  private mutating func nextFailed(_ offer: PlayerState.Offer, _ failure: PlaybackFailure) {
    report(.skipped(offer.track.media, failure))
    state.offer = nil
    request(.setNext(nil))
    state.dropFollower(because: failure)
  }
}
