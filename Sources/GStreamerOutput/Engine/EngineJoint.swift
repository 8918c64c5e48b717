import CGStreamer
import Player

/// From one track to the next: which track pushes samples, which one is heard, and what follows when the device has
/// played everything.
extension Engine {
  private func isMismatched(_ track: Track) -> Bool {
    let format = timeline.fill.format
    return format != nil && format != track.state.format
  }

  /// Decides which track pushes next. Called whenever a track is ready or has ended, or the device is empty.
  func decide() {
    guard let feeding, device != nil, !isEndSent, !plan.fade.isToEnd else { return }
    if feeding === heard, feeding.state.isFinished, feeding.state.failure == nil, plan.next.isUntried {
      openNext()
    }
    let fill = timeline.fill
    let situation = Succession.Situation(
      phase: phase, isPaused: isPaused, isReady: feeding.state.isReady, isMismatched: isMismatched(feeding),
      isFinished: feeding.state.isFinished, hasJoined: feeding.state.joint != nil,
      next: successor(of: feeding),
      isDry: fill.isStarved, isEmpty: fill.isEmpty, isRecording: device?.keepsFormat == true)
    switch Succession.step(situation) {
    case .nothing: break
    case .end: sendEnd()
    case .hold:
      guard playback.starve() else { break }
      _ = device?.run(paused: true)
      plan.server.starved(at: .now)
    case .remake:
      let wanted = plan.next.wanted
      dropUpcoming()
      setNext(wanted)
    case .join:
      guard let next = upcoming else { break }
      self.feeding = next
      timeline.grant(next.serial)
    }
  }

  private func successor(of track: Track) -> Succession.Next {
    guard track === heard, track.state.failure == nil, let next = upcoming else { return .none }
    return !next.state.isReady ? .unready : isMismatched(next) ? .mismatched : .ready
  }

  private func sendEnd() {
    if playback.sendEnd() { _ = device?.run(paused: isPaused) }
    plan.isFed()
    timeline.grant(nil)
    device?.end()
  }

  /// - Parameter isRepeated: it isn't heard yet when it should be: the device's clock and the monotonic clock differ a
  ///   little.
  func scheduleJoint(isRepeated: Bool = false) {
    guard let next = upcoming, next === feeding, let joint = next.state.joint, let device, phase == .playing
    else { return }
    let running = device.runningTime
    let wait = joint.running > running ? joint.running - running : 0
    plan.scheduleJoint(after: .nanoseconds(Int64(clamping: wait)), isRepeated: isRepeated, at: .now)
  }

  func transitionDue() {
    guard let next = upcoming, let joint = next.state.joint, let device else { return }
    if device.runningTime &+ 2_000_000 < joint.running {
      scheduleJoint(isRepeated: true)
    } else {
      advance(to: next)
    }
  }

  /// `next` is heard from now on.
  private func advance(to next: Track) {
    plan.joint = nil
    plan.next.drop()
    let previous = heard
    heard = next
    upcoming = nil
    _ = next.state.started()
    previous?.dispose()
    emit(.started(next.id))
    next.inquire()
    emitFacts(next)
    emit(.playing(next.id, position: position(of: next)))
    reportPath()
    logger.debug("Heard now without a gap: \(redacted(uri: next.media.uri))")
    decide()
  }

  /// The device has played everything.
  func deviceEnded() {
    guard let heard, let feeding else { return }
    playback.end()
    plan.fade = FadeOut()
    device?.hasEnded = true
    if feeding !== heard { advance(to: feeding) }
    guard let current = self.heard else { return }
    if !current.state.isFinished {
      // It goes on in another format.
      current.state.changesFormat()
      begin(current)
    } else if current.state.failure == nil, let next = upcoming {
      endedBefore = current.id
      current.dispose()
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
