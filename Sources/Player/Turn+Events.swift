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
    case .duration, .seekable, .details, .tags: _ = state.facts.learn(from: event)
    }
  }

  private mutating func started(_ id: PlayID) {
    heard(gapless: false)
    switch state.transport {
    case .loading(_, .playing), .buffering(_, .playing): soundRuns(id, at: state.anchor.position)
    case .loading, .buffering, .playing, .paused, .stopped, .resolving: break
    }
  }

  /// A track that is heard makes good for those before it that failed.
  private mutating func heard(gapless: Bool) {
    state.failure = nil
    state.failuresInRow = state.av.skipped
    if let media = state.currentTrack { report(.started(media, gapless: gapless)) }
  }

  private mutating func soundRuns(_ id: PlayID, at position: Duration) {
    switch state.transport {
    case .loading(_, .playing), .buffering(_, .playing), .playing:
      state.transport = .playing(id)
      state.anchor = PositionAnchor(position: position, instant: now, rate: 1)
    // Said before the output came to know that it is to be silent.
    case .loading, .buffering, .paused, .stopped, .resolving: break
    }
  }

  private mutating func silent(_ id: PlayID, at position: Duration) {
    switch state.transport {
    case .loading(_, .paused), .loading(_, .cued), .buffering(_, .paused), .buffering(_, .cued), .paused:
      state.transport = .paused(id)
      state.anchor = PositionAnchor(position: position, instant: now)
    // Said before the output came to know that it is to play.
    case .loading, .buffering, .playing, .stopped, .resolving: break
    }
  }

  private mutating func waits(_ id: PlayID) {
    switch state.transport {
    case .playing:
      state.transport = .buffering(id, .playing)
      state.anchor = PositionAnchor(position: state.position(at: now), instant: now)
    case .paused: state.transport = .buffering(id, .cued)
    case .loading, .buffering, .stopped, .resolving: break
    }
  }

  private mutating func trackEnded() {
    if case .loading = state.transport {
      // Without this, repeating an empty track would never come to rest.
      trackFailed(PlaybackFailure(.corrupt, "The track ended before anything of it was heard."))
      return
    }
    guard state.failuresInRow < state.configuration.maximumFailures, let step = state.av.follower() else {
      if let media = state.currentTrack { report(.finished(media)) }
      halt(because: state.av.lookaheadFailure)
      rewind()
      return
    }
    advance(to: step)
  }

  private mutating func trackFailed(_ failure: PlaybackFailure) {
    guard let media = state.currentTrack else { return }
    state.failuresInRow += 1
    guard state.av.current.list?.isContainer == true, let step = state.av.follower(),
      state.failuresInRow < state.configuration.maximumFailures
    else {
      report(.failed(media, failure))
      halt(because: failure)
      return
    }
    report(.skipped(media, failure))
    advance(to: step)
  }

  private mutating func advance(to step: AVQueue.Step) {
    let before = state.currentTrack
    state.av.take(step)
    if state.currentTrack == before { restart() } else { trackChanged() }
  }

  /// After the last track of a container the first one is the current one.
  private mutating func rewind() {
    let before = state.currentTrack
    state.av.rewind()
    if state.currentTrack != before { state.facts = TrackFacts() }
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
    guard let step = state.av.follower() else { return }
    let id = offer.track.id
    state.av.take(step)
    state.offer = nil
    state.facts = offer.facts
    switch state.transport {
    case .paused, .loading(_, .paused), .loading(_, .cued), .buffering(_, .paused), .buffering(_, .cued):
      // The pause named the track before and may have come too late for it.
      request(.pause(id))
      state.transport = .paused(id)
      state.anchor = PositionAnchor(instant: now)
    case .loading, .buffering, .playing, .stopped, .resolving:
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
    state.failuresInRow += 1
    state.av.dropFollower(because: failure)
  }
}
