extension Transition {
  mutating func receive(_ event: OutputEvent) {
    if case .device(let report) = event { state.device = report }
    guard let current = state.transport.playID, let id = event.playID else { return }
    if id == current {
      receiveForCurrent(event, id)
    } else if let offer = state.offer, id == offer.track.id {
      receiveForNext(event, offer)
    } else if case .started = event, id > current {
      // The output went on to a next track that was withdrawn too late.
      trackEnded()
    }
  }

  // MARK: The current track

  private mutating func receiveForCurrent(_ event: OutputEvent, _ id: PlayID) {
    switch event {
    case .started: started(id)
    case .playing(_, let position):
      if state.soundStart == nil { state.soundStart = position }
      soundRuns(id, at: position)
    case .paused(_, let position): silent(id, at: position)
    case .buffering: waits(id)
    case .ended: trackEnded()
    case .failed(_, let failure): trackFailed(failure)
    case .details:
      _ = state.facts.learn(from: event)
      state.change(state.activeSource, .dataArrived)
    case .duration, .seekable, .tags: _ = state.facts.learn(from: event)
    case .streamTrack(_, let media): streamTrackChanged(media)
    case .streamText(_, let text): state.change(state.activeSource, .streamText(text))
    case .device: break
    }
  }

  private mutating func started(_ id: PlayID) {
    heard(gapless: false)
    switch state.transport {
    case .loading(_, .playing), .buffering(_, .playing): soundRuns(id, at: state.anchor.position)
    case .loading, .buffering, .playing, .paused, .stopped, .resolving, .reconnecting, .suspended: break
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
    // Sent before the output received the pause.
    case .loading, .buffering, .paused, .stopped, .resolving, .reconnecting, .suspended: break
    }
  }

  private mutating func silent(_ id: PlayID, at position: Duration) {
    switch state.transport {
    case .loading(_, .paused), .loading(_, .cued), .buffering(_, .paused), .buffering(_, .cued), .paused:
      state.transport = .paused(id)
      state.anchor = PositionAnchor(position: position, instant: now)
    // Sent before the output received the resume.
    case .loading, .buffering, .playing, .stopped, .resolving, .reconnecting, .suspended: break
    }
  }

  private mutating func waits(_ id: PlayID) {
    switch state.transport {
    case .playing:
      state.transport = .buffering(id, .playing)
      state.anchor = PositionAnchor(position: state.position(at: now), instant: now)
    case .paused: state.transport = .buffering(id, .cued)
    case .loading, .buffering, .stopped, .resolving, .reconnecting, .suspended: break
    }
  }

  private mutating func trackEnded() {
    if case .loading = state.transport, state.anchor.position == .zero {
      // Without this, repeating an empty track would never end. Starting at the very end isn't a fault.
      trackFailed(PlaybackFailure(.corrupt, "The track ended before anything of it was heard."))
      return
    }
    if state.playsStations, state.isLive {
      trackFailed(PlaybackFailure(.unreachable, "The station has stopped sending."))
      return
    }
    if goOn() { return }
    let last = state.currentTrack
    let failure = state.ask(state.activeSource) { $0.lookaheadFailure }
    if state.givesUp {
      report(.gaveUp(tracks: state.failuresInRow))
      halt(because: failure)
      // As where the tracks fail one after the other: `failure` is about the current track, and the next Play goes on
      // behind those that failed instead of running into them again.
      state.change(state.activeSource, .takeSkipped)
    } else {
      if let last { report(.finished(last)) }
      halt(because: failure)
      state.change(state.activeSource, .rewind)
    }
    if state.currentTrack != last { state.facts = TrackFacts() }
  }

  mutating func trackFailed(_ failure: PlaybackFailure) {
    state.rules(of: state.activeSource).failed(failure, &self)
  }

  /// Waits for the current track if it may come back, else goes on to the next one or stops.
  mutating func waitOrSkip(_ failure: PlaybackFailure) {
    if waitOut(failure) { return }
    let broken = state.currentTrack
    state.failuresInRow += 1
    // Other tracks would fail as well without a sound device.
    if state.ask(state.activeSource, { $0.skipsBrokenTracks }), failure.kind != .device, goOn() {
      if let broken { report(.skipped(broken, failure)) }
    } else {
      if let broken { report(.failed(broken, failure)) }
      if failure.kind != .device, state.givesUp { report(.gaveUp(tracks: state.failuresInRow)) }
      halt(because: failure)
    }
  }

  /// Plays the follower; returns false when there is none.
  private mutating func goOn() -> Bool {
    let before = state.currentTrack
    guard state.advance() else { return false }
    let pause = state.pace.began(at: now)
    if pause > .zero, state.transport.continuation == .playing {
      if state.currentTrack != before { state.facts = TrackFacts() }
      beginLater(after: pause)
    } else if state.currentTrack == before {
      restart()
    } else {
      trackChanged()
    }
    return true
  }

  // MARK: The next track

  private mutating func receiveForNext(_ event: OutputEvent, _ offer: PlayerState.Offer) {
    switch event {
    case .started: takeOver(offer)
    case .buffering: waitForNext(offer)
    case .failed(_, let failure): nextFailed(offer, failure)
    case .duration, .seekable, .details, .tags: _ = state.offer?.facts.learn(from: event)
    // The next track isn't playing yet.
    case .playing, .paused, .streamTrack, .streamText, .ended, .device: break
    }
  }

  /// Makes the next track current after the output went on to it without a gap.
  private mutating func takeOver(_ offer: PlayerState.Offer) {
    let before = state.currentTrack
    guard state.advance() else { return }
    _ = state.pace.began(at: now)
    let id = offer.track.id
    state.offer = nil
    state.outage = nil
    state.soundStart = nil
    state.facts = state.currentTrack == before ? offer.facts.completed(by: state.facts) : offer.facts
    switch state.transport {
    case .paused, .loading(_, .paused), .loading(_, .cued), .buffering(_, .paused), .buffering(_, .cued):
      // The pause was for the previous track and may have come too late.
      request(.pause(id))
      state.transport = .paused(id)
      state.anchor = PositionAnchor(instant: now)
    case .loading, .buffering, .playing, .stopped, .resolving, .reconnecting, .suspended:
      state.transport = .playing(id)
      state.anchor = PositionAnchor(instant: now, rate: 1)
    }
    heard(gapless: true)
  }

  /// Makes the next track current when the previous one has ended, and waits for its data.
  private mutating func waitForNext(_ offer: PlayerState.Offer) {
    let before = state.currentTrack
    guard let target = state.transport.continuation, state.advance() else { return }
    _ = state.pace.began(at: now)
    state.offer = nil
    state.outage = nil
    state.soundStart = nil
    state.facts = state.currentTrack == before ? offer.facts.completed(by: state.facts) : offer.facts
    if target != .playing { request(.pause(offer.track.id)) }
    state.transport = .loading(offer.track.id, target)
    state.anchor = PositionAnchor(instant: now)
  }

  /// Skips a next track that is unplayable, while the current track plays on. If nothing else follows, the
  /// failure shows when the current track has ended.
  private mutating func nextFailed(_ offer: PlayerState.Offer, _ failure: PlaybackFailure) {
    // It is tried again when its turn comes.
    if failure.mayPass { return }
    report(.skipped(offer.track.media, failure))
    state.offer = nil
    request(.setNext(nil))
    state.dropFollower(because: failure)
  }
}
