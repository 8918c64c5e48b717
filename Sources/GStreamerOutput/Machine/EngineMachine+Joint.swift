import Player

/// From one track to the next: which track pushes samples, which one is heard, and what follows when the device has
/// played everything.
extension EngineMachine {
  private func isMismatched(_ track: TrackRecord) -> Bool {
    let format = world.fill.format
    return format != nil && format != track.state.format
  }

  /// Decides which track pushes next. Called whenever a track is ready or has ended, or the device is empty.
  mutating func decide() {
    guard let track = self[feeding], device != nil, !isEndSent, !plan.fade.isToEnd else { return }
    if feeding == heard, track.state.isFinished, track.state.failure == nil, plan.next.isUntried {
      openNext()
    }
    then(.succeed)
  }

  mutating func succeed() {
    guard let track = self[feeding], let device, !isEndSent, !plan.fade.isToEnd else { return }
    let fill = world.fill
    let situation = Succession.Situation(
      phase: phase, isPaused: isPaused, isReady: track.state.isReady, isMismatched: isMismatched(track),
      isFinished: track.state.isFinished, hasJoined: track.state.joint != nil,
      next: successor(of: track),
      isDry: fill.isStarved, isEmpty: fill.isEmpty, isRecording: device.keepsFormat)
    switch Succession.step(situation) {
    case .nothing: break
    case .end: sendEnd()
    case .hold:
      guard playback.starve() else { break }
      act(.run(paused: true, reportsRefusal: false))
      plan.server.starved(at: now)
    case .remake:
      let wanted = plan.next.wanted
      dropUpcoming()
      setNext(wanted)
    case .join:
      feeding = upcoming
      grant(upcoming)
    }
  }

  private func successor(of track: TrackRecord) -> Succession.Next {
    guard track.serial == heard, track.state.failure == nil, let next = self[upcoming] else { return .none }
    return !next.state.isReady ? .unready : isMismatched(next) ? .mismatched : .ready
  }

  private mutating func sendEnd() {
    if playback.sendEnd() { act(.run(paused: isPaused, reportsRefusal: false)) }
    plan.isFed()
    grant(nil)
    act(.end)
  }

  /// - Parameter isRepeated: it isn't heard yet when it should be: the device's clock and the monotonic clock differ a
  ///   little.
  mutating func scheduleJoint(isRepeated: Bool = false) {
    guard let next = self[upcoming], upcoming == feeding, let joint = next.state.joint, device != nil,
      phase == .playing
    else { return }
    let running = runningTime
    let wait = joint.running > running ? joint.running - running : 0
    plan.scheduleJoint(after: .nanoseconds(Int64(clamping: wait)), isRepeated: isRepeated, at: now)
  }

  mutating func transitionDue() {
    guard let next = self[upcoming], let joint = next.state.joint, device != nil else { return }
    if runningTime &+ 2_000_000 < joint.running {
      scheduleJoint(isRepeated: true)
    } else {
      advance(to: next)
    }
  }

  /// `next` is heard from now on.
  private mutating func advance(to next: TrackRecord) {
    plan.joint = nil
    plan.next.drop()
    let previous = heard
    hear(next.serial)
    upcoming = nil
    _ = self[next.serial]?.state.started()
    if let previous { dispose(previous) }
    emit(.started(next.id))
    then(.advanced(next.serial))
  }

  mutating func advanced(_ serial: Int) {
    inquire(serial)
    emitFacts(serial)
    guard let track = self[serial] else { return }
    emit(.playing(track.id, position: position(of: track)))
    reportPath()
    log(.debug, "Heard now without a gap: \(track.name)")
    decide()
  }

  /// The device has played everything.
  mutating func deviceEnded() {
    guard heard != nil, let next = self[feeding] else { return }
    playback.end()
    plan.fade = FadeOut()
    act(.ended)
    if feeding != heard { advance(to: next) }
    then(.playedOut)
  }

  mutating func playedOut() {
    guard let current = self[heard] else { return }
    if !current.state.isFinished {
      // It goes on in another format.
      self[heard]?.state.changesFormat()
      // Its next samples are the first ones for the device as it is opened now.
      act(.loseDevice, on: current.serial)
      begin(current.serial)
    } else if current.state.failure == nil, let next = upcoming {
      unreportedEnd = current.id
      dispose(current.serial)
      upcoming = nil
      plan.next.drop()
      begin(next)
    } else {
      if let failure = current.state.failure { fail(current, failure) } else { emit(.ended(current.id)) }
      dropTracks()
      becomeIdle()
    }
  }
}
