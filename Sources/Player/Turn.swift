/// One input on its way through the state: the state as changed so far, the instant of the input, and what is to
/// be done about it. The steps that commands and output events have in common.
struct Turn {
  var state: PlayerState
  let now: PlayerInstant
  private(set) var effects: [Effect] = []

  init(_ state: PlayerState, at now: PlayerInstant) {
    self.state = state
    self.now = now
  }

  mutating func request(_ request: OutputRequest) { effects.append(.output(request)) }
  mutating func report(_ report: PlayerReport) { effects.append(.report(report)) }
  mutating func store(_ change: StoreChange) { effects.append(.store(change)) }

  /// Has the player woken; the id names the one call that is wanted.
  mutating func wake(after time: Duration) -> WakeID {
    let id = state.makeWakeID()
    effects.append(.wake(after: time, id))
    return id
  }

  mutating func refreshPresets() { effects.append(.refreshPresets) }

  // MARK: The transport

  /// Plays the active source's current track, or waits for it to be known.
  mutating func begin(_ target: Transport.Target, at position: Duration = .zero) {
    if case .unresolved(let media) = state.content { state.content = content(for: media) }
    switch state.cue {
    case .nothing: halt()
    case .pending:
      silence()
      state.transport = .resolving(target)
      state.anchor = PositionAnchor(position: position, instant: now)
    case .track(let media) where !state.configuration.uriPolicy.allows(media.uri):
      state.transport = .loading(state.makePlayID(), target)
      state.anchor = PositionAnchor(instant: now)
      trackFailed(.refused)
    case .track(let media):
      let id = state.makePlayID()
      request(.start(id, media, position: position, paused: target != .playing))
      state.transport = .loading(id, target)
      state.anchor = PositionAnchor(position: position, instant: now)
      state.facts.tags = nil
      state.offer = nil
    }
  }

  /// Stops at the start of the current track.
  mutating func halt(because failure: PlaybackFailure? = nil) {
    silence()
    state.transport = .stopped
    state.anchor = PositionAnchor(instant: now)
    state.failuresInRow = 0
    if let failure { state.failure = failure }
  }

  /// Has the output stop, if it was at anything.
  mutating func silence() {
    if state.transport.playID != nil { request(.stop) }
    state.offer = nil
  }

  /// The current track is another one now. Plays it when the transport isn't stopped.
  mutating func trackChanged() {
    state.facts = TrackFacts()
    restart()
  }

  /// From the start of the current track; a stopped or paused transport stays stopped or paused.
  mutating func restart() {
    if let target = state.transport.continuation {
      begin(target)
    } else {
      state.anchor = PositionAnchor(instant: now)
    }
  }

  // MARK: Containers

  /// What is known of `media` at first; asks for a look inside when it may be a container.
  mutating func content(for media: Media, lookingInside: Bool = false) -> AVContent {
    guard lookingInside || media.looksLikeContainer, state.configuration.uriPolicy.allows(media.uri)
    else { return .tracks(TrackList(track: media)) }
    let id = state.makeResolveID()
    effects.append(.resolve(id, media))
    return .resolving(id, media)
  }

  // MARK: The end of the turn

  /// Tells the output and the store what has become different: the next track, the gain, the settings.
  mutating func settle(from old: PlayerState) {
    offerFollower()
    if old.volume != state.volume {
      let (before, after) = (old.volume.gain, state.volume.gain)
      if before != after { request(.setGain(left: after.left, right: after.right)) }
    }
    state.count(from: old)
    let settings = state.settings()
    if settings != old.settings() { store(.settings(settings)) }
  }

  private mutating func offerFollower() {
    guard state.transport.playID != nil else { return }
    if state.activeSource == .playlist { state.playlist.prepareRound(using: &state.random) }
    while let refused = state.follower, refused != state.offer?.track.media,
      !state.configuration.uriPolicy.allows(refused.uri)
    {
      report(.skipped(refused, .refused))
      state.dropFollower(because: .refused)
    }
    let wanted = state.follower
    guard wanted != state.offer?.track.media else { return }
    state.offer = wanted.map { PlayerState.Offer(track: NextTrack(id: state.makePlayID(), media: $0)) }
    request(.setNext(state.offer?.track))
  }
}

extension PlayerState {
  /// Does what `command` says. Throws, and changes nothing, when it isn't possible.
  public mutating func apply(_ command: Command, at now: PlayerInstant) throws(PlayerError) -> [Effect] {
    var turn = Turn(self, at: now)
    try turn.perform(command)
    return finish(&turn)
  }

  /// Takes in what the output reports. What belongs to an attempt that was given up changes nothing.
  public mutating func apply(_ event: OutputEvent, at now: PlayerInstant) -> [Effect] {
    var turn = Turn(self, at: now)
    turn.receive(event)
    return finish(&turn)
  }

  /// Takes in what a container turned out to hold. A stale answer changes nothing.
  public mutating func apply(_ resolution: Resolution, of id: ResolveID, at now: PlayerInstant) -> [Effect] {
    var turn = Turn(self, at: now)
    turn.resolve(id, resolution)
    return finish(&turn)
  }

  private mutating func finish(_ turn: inout Turn) -> [Effect] {
    turn.settle(from: self)
    self = turn.state
    return turn.effects
  }
}
