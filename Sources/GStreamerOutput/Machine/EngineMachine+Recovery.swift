import Player

/// Losing the sound device, waiting for it, and finding it again.
extension EngineMachine {
  /// The device is absent, busy or broken: the track waits for it where the sound stopped.
  mutating func deviceFailed(_ reason: String, _ fault: DeviceRecovery.Fault = .absent) {
    guard let track = self[heard], !plan.device.isWaiting else { return }
    let serial = track.serial
    leaveDevice(track, at: max(position(of: track), positionByClock))
    playback.load()
    switch plan.device.failed(fault, isPaused: isPaused, mayStandIn: isAuto, at: now) {
    case .wait: break
    case .standIn:
      output.wantsStandIn = true
      return begin(serial)
    case .giveUp: return giveDeviceUp(reason)
    }
    if fault == .absent { act(.watch) }
    then(.retryUnwatched)
    reportDevice(.away(problem(reason) + " Playback goes on by itself when it is there."), reason)
    if !isPaused { emit(.buffering(track.id)) }
  }

  /// The device goes, which had played `track` up to `position`.
  private mutating func leaveDevice(_ track: TrackRecord, at position: Duration) {
    var position = position
    // A seek that waited for its fade isn't lost.
    if case .seek(track.serial, let target) = plan.fade.purpose {
      position = .nanoseconds(Int64(clamping: target))
    }
    grant(nil)
    // A track that can't seek goes on with what comes.
    act(.loseDevice, on: track.serial)
    self[track.serial]?.state.lostDevice(at: position.wholeNanoseconds)
    closeDevice()
    plan.deviceLost()
  }

  mutating func retryUnwatched() {
    if let watch = output.watch, !watch.isComplete { plan.device.retryUnwatched(at: now) }
  }

  private func problem(_ reason: String) -> String {
    "The sound device \(configuration.output) can't be used: \(reason). Check that it is connected and not "
      + "in use, or choose another output."
  }

  /// The wait for the device is over: the track fails.
  mutating func giveDeviceUp(_ reason: String = "it is away") {
    guard let id = self[heard]?.id else { return }
    dropTracks()
    fail(id, PlaybackFailure(.device, problem(reason)))
    becomeIdle()
  }

  mutating func endWatch() {
    if output.watch != nil { act(.endWatch) }
    output.watch = nil
  }

  /// Something was plugged in or started.
  mutating func deviceMayHaveAppeared() {
    guard output.watch != nil, heard != nil, device == nil || device?.isStandIn == true else { return }
    plan.device.cameBack(at: now)
  }

  mutating func retryDevice() {
    guard let track = self[heard] else { return }
    if device?.isStandIn == true { act(.findDevice) } else { retry(track) }
  }

  /// - Parameter isFound: a device is there now: it takes over the unheard track at its current position.
  mutating func deviceFound(_ isFound: Bool) {
    guard let track = self[heard] else { return }
    guard isFound else {
      plan.device.stillStandsIn(at: now)
      if output.watch != nil { act(.watch) }
      then(.retryUnwatched)
      return
    }
    leaveDevice(track, at: position(of: track))
    output.wantsStandIn = false
    plan.device.renew()
    retry(track)
  }

  private mutating func retry(_ track: TrackRecord) {
    let next = plan.next.wanted
    if feeding != track.serial {
      dropUpcoming()
      // Also if the device doesn't open this time.
      plan.next.want(next)
    }
    begin(track.serial)
    then(.retried(track.serial, next))
  }

  mutating func retried(_ serial: Int, _ next: NextTrack?) {
    guard device != nil, heard == serial, let track = self[serial] else { return }
    // The samples on their way to the device are lost: seek back to what was heard last, or go on with what comes.
    if track.state.isReady, track.isSeekable, track.state.hasPushed || track.state.startPosition > 0 {
      performSeek(serial, track.state.startPosition)
    } else if track.state.format != nil {
      // A seek from before the device was there may still be under way: nothing else gives its samples the turn.
      grantTurn(to: serial)
    }
    then(.followUp(next))
    // A track that has already ended doesn't report that again.
    then(.decide)
  }

  /// A paused track waits for its device without limit.
  mutating func pauseWithoutDevice() {
    plan.device.pause()
    if let heard { tellPaused(heard) }
  }

  mutating func resumeWithoutDevice() {
    if let track = self[heard] { emit(.buffering(track.id)) }
    plan.device.resume(at: now)
  }

  /// No device is there: the track plays silently, in real time, until one appears.
  mutating func standIn(because reason: String) {
    act(.watch)
    then(.retryUnwatched)
    let text =
      "No sound device was found, so that nothing is heard. Connect one: the sound moves there by itself. Or set "
      + "[audio] output; vireod --list-outputs shows what there is."
    reportDevice(.silent(text), reason)
  }

  /// The estimated position of the sound, for when the device itself can't tell any more.
  private var positionByClock: Duration {
    guard phase == .playing, let limit = self[heard]?.state.reach(end: world.fill.end) else { return .zero }
    return estimate.position(at: now, limit: .nanoseconds(Int64(clamping: limit)))
  }

  /// The device plays.
  mutating func deviceRuns() {
    guard let device, !device.isStandIn else { return }
    plan.device.ran(at: now)
    endWatch()
    reportPath()
  }
}
