/// Running, holding and moving within the current track, whatever source it is of; and OpenHome Transport:1, which
/// speaks to whichever source is active.
extension Turn {
  /// Makes the current track run from where it is.
  mutating func run() {
    switch state.transport {
    case .stopped: begin(.playing, at: state.anchor.position)
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

  /// Has the current track stand still, if it runs or is about to.
  mutating func hold() {
    switch state.transport {
    case .stopped, .paused, .resolving(.paused), .resolving(.cued), .loading(_, .paused), .loading(_, .cued),
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
    // There is nothing to hold.
    case .reconnecting: halt()
    }
  }

  /// Goes to a position that can be reached; a stopped or paused transport stays stopped or paused.
  mutating func go(to position: Duration) {
    switch state.transport {
    case .stopped, .resolving, .reconnecting: state.anchor = PositionAnchor(position: position, instant: now)
    // Nothing was heard yet: beginning elsewhere is better than hearing the start and then jumping.
    case .loading(_, let target): begin(target, at: position)
    case .buffering(let id, _), .playing(let id), .paused(let id):
      request(.seek(id, position))
      state.anchor = PositionAnchor(position: position, instant: now, rate: state.anchor.rate)
    }
  }

  /// OpenHome's seeking: goes there and plays.
  mutating func seekAndRun(to position: Duration) throws(PlayerError) {
    guard state.cue.isSomething, state.canReach(position) else { throw .seekFailed }
    go(to: position)
    run()
  }

  /// Kept within the track; by nothing just plays.
  mutating func seekAndRun(by distance: Duration) throws(PlayerError) {
    guard state.cue.isSomething else { throw .seekFailed }
    guard distance != .zero else { return run() }
    try seekAndRun(to: state.clamped(state.position(at: now), moved: distance))
  }

  // MARK: Transport:1

  mutating func perform(_ command: TransportCommand) throws(PlayerError) {
    switch command {
    case .play:
      leaveStandby(choosingSource: false)
      switch state.activeSource {
      case .playlist: try perform(PlaylistCommand.play)
      case .radio: try perform(RadioCommand.play)
      case .upnpAV: if !state.av.isEmpty { run() }
      }
    case .pause: state.isLive && state.activeSource != .upnpAV ? halt() : hold()
    case .stop:
      if state.activeSource == .upnpAV { try? stopAV() } else { halt() }
    case .skipNext: try skip(.next, state.av.successor())
    case .skipPrevious: try skip(.previous, state.av.predecessor())
    case .seek(let position, let stream):
      try seek(in: stream)
      try seekAndRun(to: position)
    case .skip(let distance, let stream):
      try seek(in: stream)
      try seekAndRun(by: distance)
    }
  }

  private mutating func skip(_ command: PlaylistCommand, _ step: AVQueue.Step?) throws(PlayerError) {
    switch state.activeSource {
    case .playlist:
      leaveStandby(choosingSource: false)
      try perform(command)
    case .radio: throw .notSupported
    case .upnpAV:
      guard step != nil else { throw .notSupported }
      try move(step)
    }
  }

  private mutating func seek(in stream: UInt32) throws(PlayerError) {
    guard stream != 0, stream == state.streamID else { throw .streamNotCurrent }
    leaveStandby(choosingSource: false)
  }
}

extension PlayerState {
  /// Bound for tracks of unknown length: far beyond any track, and fits 64 bits of nanoseconds.
  static var furthestSeek: Duration { .seconds(1_000_000_000) }

  /// False when it is known that a seek to `position` would fail.
  func canReach(_ position: Duration) -> Bool {
    isSeekable && !(activeSource == .radio && isLive)
      && (.zero...(duration ?? Self.furthestSeek)).contains(position)
  }

  func clamped(_ position: Duration, moved distance: Duration) -> Duration {
    min(max(.zero, position + distance), duration ?? Self.furthestSeek)
  }
}

extension Cue {
  var isSomething: Bool {
    if case .nothing = self { false } else { true }
  }
}
