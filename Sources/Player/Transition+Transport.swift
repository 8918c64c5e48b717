/// Playing, pausing and seeking in the current track of any source, and OpenHome Transport:1, which controls
/// the active source.
extension Transition {
  /// Plays the current track from its current position.
  mutating func run() {
    switch state.transport {
    case .stopped: begin(.playing, at: state.anchor.position)
    case .suspended: begin(.playing, at: resumption, isSameStream: true)
    case .resolving(.playing), .loading(_, .playing), .buffering(_, .playing), .playing, .reconnecting: break
    case .resolving: state.transport = .resolving(.playing)
    case .loading(let id, _):
      request(.resume(id))
      state.transport = .loading(id, .playing)
    case .buffering(let id, _):
      request(.resume(id))
      state.transport = .buffering(id, .playing)
    case .paused(let id):
      request(.resume(id))
      state.transport = .playing(id)
      state.anchor = PositionAnchor(position: state.anchor.position, instant: now, rate: 1)
    }
  }

  /// Pauses the current track if it plays or is about to.
  mutating func hold() {
    switch state.transport {
    case .stopped, .paused, .suspended, .resolving(.paused), .resolving(.cued), .loading(_, .paused),
      .loading(_, .cued),
      .buffering(_, .paused), .buffering(_, .cued):
      break
    case .resolving(.playing): state.transport = .resolving(.paused)
    case .loading(let id, .playing):
      request(.pause(id))
      state.transport = .loading(id, .paused)
    case .buffering(let id, .playing):
      request(.pause(id))
      state.transport = .buffering(id, .paused)
    case .playing(let id):
      request(.pause(id))
      state.transport = .paused(id)
      state.anchor = PositionAnchor(position: state.position(at: now), instant: now)
    // A live station can't be paused.
    case .reconnecting where state.playsStations: halt()
    case .reconnecting: suspend(at: state.anchor.position)
    }
  }

  /// Seeks to a reachable position; a stopped or paused transport stays stopped or paused.
  mutating func go(to position: Duration) {
    state.outage = nil
    state.soundStart = nil
    switch state.transport {
    case .stopped, .resolving, .reconnecting, .suspended:
      state.anchor = PositionAnchor(position: position, instant: now)
    // Nothing was heard yet: loading again at the new position beats playing the start and then jumping.
    case .loading(_, let target): begin(target, at: position)
    case .buffering(let id, _), .playing(let id), .paused(let id):
      request(.seek(id, position))
      state.anchor = PositionAnchor(position: position, instant: now, rate: state.anchor.rate)
    }
  }

  /// Seeks and plays, as OpenHome's seeking does.
  mutating func seekAndRun(to position: Duration) throws(PlayerError) {
    guard state.cue.isSomething, state.canReach(position, in: state.activeSource) else { throw .seekFailed }
    go(to: position)
    run()
  }

  /// Seeks relative to the current position, kept within the track, and plays. A distance of zero only plays.
  mutating func seekAndRun(by distance: Duration) throws(PlayerError) {
    guard state.cue.isSomething else { throw .seekFailed }
    guard distance != .zero else { return run() }
    try seekAndRun(to: state.clamped(state.position(at: now), moved: distance))
  }

  // MARK: Transport:1

  mutating func perform(_ command: TransportCommand) throws(PlayerError) {
    if command != .play { activeSourceControlled() }
    switch command {
    case .play:
      leaveStandby(choosingSource: false)
      try state.rules(of: state.awaitedSource ?? state.activeSource).play(&self)
    case .pause: state.canBeHeld(state.activeSource) ? hold() : halt()
    case .stop: state.rules(of: state.activeSource).stop(&self)
    case .skipNext: try state.rules(of: state.activeSource).skip(.ahead, &self)
    case .skipPrevious: try state.rules(of: state.activeSource).skip(.back, &self)
    case .seek(let position, let stream):
      try seek(in: stream)
      try seekAndRun(to: position)
    case .go(let position):
      guard !state.isStandby, state.cue.isSomething, state.canReach(position, in: state.activeSource) else {
        throw .seekFailed
      }
      go(to: position)
    case .skip(let distance, let stream):
      try seek(in: stream)
      try seekAndRun(by: distance)
    }
  }

  private mutating func seek(in stream: UInt32) throws(PlayerError) {
    guard stream != 0, stream == state.streamID else { throw .streamNotCurrent }
    leaveStandby(choosingSource: false)
  }
}

extension PlayerState {
  /// Upper limit for tracks of unknown length: far beyond any track, and fits 64 bits of nanoseconds.
  static var furthestSeek: Duration { .seconds(1_000_000_000) }

  func clamped(_ position: Duration, moved distance: Duration) -> Duration {
    min(max(.zero, position + distance), duration ?? Self.furthestSeek)
  }
}
