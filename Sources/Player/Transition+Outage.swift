/// Outages and long pauses. In both the output holds nothing, and the track is reopened where it was.
extension Transition {
  /// Handles a failure of the current track that may pass by waiting. Returns false when the track is to be
  /// given up.
  mutating func waitOut(_ failure: PlaybackFailure) -> Bool {
    guard failure.mayPass, let track = state.currentTrack, let target = state.transport.continuation else {
      return false
    }
    var position = failure.reached ?? state.position(at: now)
    if state.isLive {
      // A live stream has no position to resume: every connection starts at zero.
      if wasSteady(until: failure) { state.outage = nil }
      position = .zero
    }
    var outage = state.outage ?? Outage(at: position, now: now)
    position = max(position, outage.reached)
    switch outage.failed(
      failure, at: position, isLive: state.isLive, now: now, patience: state.configuration.patience)
    {
    case .trackIsBad: return false
    case .patienceIsOver:
      report(.failed(track, failure))
      halt(because: failure)
      // The next Play resumes there.
      state.anchor.position = position
    case .tryAgain(let pause) where target == .playing:
      report(.lost(track, failure, attempt: outage.failures, after: pause))
      silence()
      state.transport = .reconnecting(wake(after: pause))
      state.anchor = PositionAnchor(position: position, instant: now)
      state.outage = outage
    case .tryAgain:
      // The track is paused, so there is no attempt until the next Play.
      suspend(at: position)
    }
    return true
  }

  /// True when the last connection played long enough before `failure` that earlier failures no longer count.
  /// For a live stream a moment of sound isn't enough, since every connection starts with some.
  func wasSteady(until failure: PlaybackFailure) -> Bool {
    guard let start = state.soundStart else { return false }
    let sound = (failure.reached ?? state.position(at: now)) - start
    return sound >= (state.isLive ? BackOff.steady : Outage.leastProgress)
  }

  /// Tries again after a pause.
  mutating func reconnect(_ id: WakeID) {
    guard case .reconnecting(id) = state.transport else { return }
    if state.isNextDelayed { return begin(.playing, at: state.anchor.position) }
    state.rules(of: state.activeSource).willReconnect(&self)
    begin(.playing, at: resumption, isSameStream: true)
  }

  /// Starts the current track, which wasn't requested yet, after a pause.
  mutating func beginLater(after pause: Duration) {
    silence()
    state.transport = .reconnecting(wake(after: pause))
    state.anchor = PositionAnchor(instant: now)
    state.isNextDelayed = true
  }

  /// Pauses with neither device nor connection held.
  mutating func suspend(at position: Duration) {
    silence()
    state.transport = .suspended
    state.isNextDelayed = false
    state.anchor = PositionAnchor(position: position, instant: now)
    state.outage = nil
  }

  /// Where a suspended track is reopened; a live stream has no position to resume.
  var resumption: Duration { state.isLive ? .zero : state.anchor.position }

  // MARK: Lasting conditions

  /// Releases device and connection when the pause has lasted long enough.
  mutating func pauseElapsed(_ id: WakeID) {
    guard hasLasted(\.pause, for: state.configuration.pauseRelease, id), case .paused = state.transport else {
      return
    }
    suspend(at: state.anchor.position)
    request(.release)
  }

  /// Schedules a wake-up for when something that has just begun will have lasted for `time`. At most one
  /// wake-up is outstanding, however often it begins.
  ///
  /// - Parameters:
  ///   - watch: the watch to update.
  ///   - time: how long it has to last.
  ///   - isOn: whether it holds now.
  ///   - isNew: whether it begins anew.
  mutating func watch(
    _ watch: WritableKeyPath<PlayerState, DurationWatch>, for time: Duration, isOn: Bool, isNew: Bool
  ) {
    guard isOn else {
      state[keyPath: watch].beginning = nil
      return
    }
    if state[keyPath: watch].beginning == nil || isNew { state[keyPath: watch].beginning = now }
    if state[keyPath: watch].wake == nil { state[keyPath: watch].wake = wake(after: time) }
  }

  /// True when `id` is the expected wake-up and what is watched has lasted for `time` without interruption.
  /// Schedules another wake-up when it began again in the meantime.
  mutating func hasLasted(
    _ watch: WritableKeyPath<PlayerState, DurationWatch>, for time: Duration, _ id: WakeID
  ) -> Bool {
    guard state[keyPath: watch].wake == id else { return false }
    state[keyPath: watch].wake = nil
    guard let beginning = state[keyPath: watch].beginning else { return false }
    let left = time - now.duration(since: beginning)
    guard left > .zero else { return true }
    state[keyPath: watch].wake = wake(after: left)
    return false
  }
}
