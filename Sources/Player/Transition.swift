import Pins

/// One input on its way through the state: the state as changed so far, the instant of the input, and the
/// effects. Contains the steps that commands and output events share.
struct Transition {
  var state: PlayerState
  let now: PlayerInstant
  private(set) var effects: [Effect] = []

  init(_ state: PlayerState, at now: PlayerInstant) {
    self.state = state
    self.now = now
  }

  mutating func request(_ request: OutputRequest) { effects.append(.output(request)) }
  mutating func report(_ report: PlayerReport) { effects.append(.report(report)) }

  /// Schedules a wake-up and returns its id.
  mutating func wake(after time: Duration) -> WakeID {
    let id = state.makeWakeID()
    effects.append(.wake(after: time, id))
    return id
  }

  mutating func refreshPresets() { effects.append(.refreshPresets) }
  mutating func find(_ pin: Pin, _ id: ResolveID) { effects.append(.findPin(id, pin)) }
  mutating func stopFindingPin() { effects.append(.stopFindingPin) }

  // MARK: The transport

  /// Starts the active source's current track, or waits for it to be known.
  ///
  /// - Parameters:
  ///   - target: the transport state to reach.
  ///   - position: where to begin in the track.
  ///   - isSameStream: true when this resumes a stream that the output had released.
  mutating func begin(
    _ target: Transport.Target, at position: Duration = .zero, isSameStream: Bool = false
  ) {
    if !isSameStream { state.outage = nil }
    state.soundStart = nil
    state.isNextDelayed = false
    if case .unread(let media) = state.cue {
      let content = content(for: media)
      state.change(state.activeSource, .open(content))
    }
    switch state.cue {
    case .nothing: halt()
    case .unread, .reading:
      silence()
      state.transport = .resolving(target)
      state.anchor = PositionAnchor(position: position, instant: now)
    case .track(let media) where !isAllowed(media):
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
      if isSameStream, state.counters.counted != nil { state.counters.counted = id }
    }
  }

  private func isAllowed(_ media: Media) -> Bool {
    state.ask(state.activeSource) { $0.allows(media, by: state.configuration.uriPolicy) }
  }

  /// Stops, at the start of the current track.
  mutating func halt(because failure: PlaybackFailure? = nil) {
    silence()
    state.transport = .stopped
    state.anchor = PositionAnchor(instant: now)
    state.failuresInRow = 0
    state.outage = nil
    state.isNextDelayed = false
    if let failure { state.failure = failure }
  }

  /// Stops the output if it is busy.
  mutating func silence() {
    if state.transport.playID != nil { request(.stop) }
    state.offer = nil
  }

  /// Handles a change of the current track: starts it unless the transport is stopped.
  mutating func trackChanged() {
    state.facts = TrackFacts()
    restart()
  }

  /// Restarts the current track; a stopped or paused transport stays stopped or paused.
  mutating func restart() {
    if let target = state.transport.continuation {
      begin(target)
    } else {
      state.anchor = PositionAnchor(instant: now)
    }
  }

  // MARK: Containers

  /// The content of `media` as far as known. Requests a look inside when it may be a container.
  mutating func content(for media: Media, lookingInside: Bool = false) -> MediaContent {
    guard lookingInside || media.looksLikeContainer, state.configuration.uriPolicy.allows(media.uri)
    else { return .tracks(TrackList(track: media)) }
    let id = state.makeResolveID()
    effects.append(.resolve(id, media))
    return .resolving(id, media)
  }

  // MARK: The end of the transition

  /// Informs the output and the store of changes: the next track, the gain, what is saved.
  mutating func settle(from old: PlayerState) {
    offerFollower()
    if old.volume != state.volume {
      let (before, after) = (old.volume.gain, state.volume.gain)
      if before != after { request(.setGain(left: after.left, right: after.right)) }
    }
    watchSources(since: old)
    let isPaused = if case .paused = state.transport { true } else { false }
    watch(
      \.pause, for: state.configuration.pauseRelease, isOn: isPaused, isNew: old.transport != state.transport)
    state.count(from: old)
    if state.playlist.tracks != old.playlist.tracks || state.saved() != old.saved() {
      effects.append(.store)
    }
  }

  private mutating func offerFollower() {
    guard state.transport.playID != nil else { return }
    state.change(state.activeSource, .prepareFollower)
    while let refused = state.follower, refused != state.offer?.track.media,
      !state.configuration.uriPolicy.allows(refused.uri)
    {
      report(.skipped(refused, .refused))
      state.dropFollower(because: .refused)
      state.change(state.activeSource, .prepareFollower)
    }
    // A track that would start too soon has to wait until it is due (``TrackRateLimit``).
    let left = max(.zero, (state.duration ?? .zero) - state.position(at: now))
    let isInTime = state.offer != nil || state.pace.pause(at: now) <= left
    let wanted = isInTime ? state.follower : nil
    guard wanted != state.offer?.track.media else { return }
    state.offer = wanted.map { PlayerState.Offer(track: NextTrack(id: state.makePlayID(), media: $0)) }
    request(.setNext(state.offer?.track))
  }
}

extension PlayerState {
  /// Performs `command`. Throws, and changes nothing, when that isn't possible.
  public mutating func apply(_ command: Command, at now: PlayerInstant) throws(PlayerError) -> [Effect] {
    var transition = Transition(self, at: now)
    if command.decidesWhatPlays { transition.dropPin() }
    try transition.perform(command)
    return finish(&transition)
  }

  /// Processes an output event. Events of an abandoned attempt change nothing.
  public mutating func apply(_ event: OutputEvent, at now: PlayerInstant) -> [Effect] {
    var transition = Transition(self, at: now)
    transition.receive(event)
    return finish(&transition)
  }

  /// Processes the contents of a container. A late answer to a superseded request changes nothing.
  public mutating func apply(_ resolution: Resolution, of id: ResolveID, at now: PlayerInstant) -> [Effect] {
    var transition = Transition(self, at: now)
    transition.resolve(id, resolution)
    return finish(&transition)
  }

  /// Processes what a pin stands for. A late answer to a superseded request changes nothing.
  public mutating func apply(_ finding: PinFinding, of id: ResolveID, at now: PlayerInstant) -> [Effect] {
    var transition = Transition(self, at: now)
    transition.found(finding, of: id)
    return finish(&transition)
  }

  private mutating func finish(_ transition: inout Transition) -> [Effect] {
    transition.settle(from: self)
    self = transition.state
    return transition.effects
  }
}
