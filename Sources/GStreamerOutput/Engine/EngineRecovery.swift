import CGStreamer
import Player

/// Losing the sound device, waiting for it, and finding it again.
extension Engine {
  /// The device is absent, busy or broken: the track waits for it where the sound stopped.
  func deviceFailed(_ reason: String, _ fault: DeviceRecovery.Fault = .absent) {
    guard let track = heard, !plan.device.isWaiting else { return }
    let position = max(position(of: track), positionByClock).glibNanoseconds
    timeline.grant(nil)
    // A track that can't seek goes on with what comes.
    track.feed.loseDevice()
    closeDevice()
    plan.deviceLost()
    playback.load()
    track.state.lostDevice(at: position)
    switch plan.device.failed(fault, isPaused: isPaused, mayStandIn: choice == .auto, at: .now) {
    case .wait: break
    case .standIn:
      wantsStandIn = true
      return begin(track)
    case .giveUp: return giveDeviceUp(reason)
    }
    if fault == .absent { watchForDevices() }
    retryUnwatched()
    reportDevice(.away(problem(reason) + " Playback goes on by itself when it is there."), reason)
    if !isPaused { emit(.buffering(track.id)) }
  }

  private func retryUnwatched() {
    if let watch, !watch.isComplete { plan.device.retryUnwatched(at: .now) }
  }

  /// The configuration's output; nil if the name is invalid.
  private var choice: SinkChoice? { try? SinkChoice(name: configuration.output) }

  private func problem(_ reason: String) -> String {
    "The sound device \(configuration.output) can't be used: \(reason). Check that it is connected and not "
      + "in use, or choose another output."
  }

  /// The wait for the device is over: the track fails.
  func giveDeviceUp(_ reason: String = "it is away") {
    guard let track = heard else { return }
    dropTracks()
    fail(track.id, PlaybackFailure(.device, problem(reason)))
    becomeIdle()
  }

  private func watchForDevices() {
    if watch == nil {
      watch = DeviceWatch(.here(nodes: configuration.deviceNodes)) { [mailbox] in
        mailbox.post(.notice(.deviceMayHaveAppeared))
      }
    }
    watch?.listen()
  }

  /// Something was plugged in or started.
  func deviceMayHaveAppeared() {
    guard watch != nil, heard != nil, device == nil || device?.isStandIn == true else { return }
    plan.device.cameBack(at: .now)
  }

  func retryDevice() {
    guard let track = heard else { return }
    if device?.isStandIn == true {
      guard AutoSink.findsDevice else {
        plan.device.stillStandsIn(at: .now)
        watch?.listen()
        retryUnwatched()
        return
      }
      leaveStandIn(track)
    }
    let next = plan.next.wanted
    if feeding !== track { dropUpcoming() }
    begin(track)
    guard device != nil, heard === track else { return }
    // The samples on their way to the device are lost: seek back to what was heard last, or go on with what comes.
    if track.state.isReady, track.isSeekable, track.state.hasPushed || track.state.startPosition > 0 {
      performSeek(track, track.state.startPosition)
    } else if track.state.format != nil {
      // A seek from before the device was there may still be under way: nothing else gives its samples the turn.
      grantTurn(to: track)
    }
    if upcoming == nil, next != nil { setNext(next) }
    // A track that has already ended doesn't report that again.
    decide()
  }

  /// A device is there now: it takes over the unheard track at its current position.
  private func leaveStandIn(_ track: Track) {
    let position = position(of: track).glibNanoseconds
    timeline.grant(nil)
    track.feed.loseDevice()
    track.state.lostDevice(at: position)
    wantsStandIn = false
    plan.device.renew()
    closeDevice()
    plan.deviceLost()
  }

  /// A paused track waits for its device without limit.
  func pauseWithoutDevice(_ track: Track) {
    plan.device.pause()
    emit(.paused(track.id, position: position(of: track)))
  }

  func resumeWithoutDevice() {
    if let heard { emit(.buffering(heard.id)) }
    plan.device.resume(at: .now)
  }

  /// No device is there: the track plays silently, in real time, until one appears.
  func standIn(because reason: String) {
    watchForDevices()
    retryUnwatched()
    let text =
      "No sound device was found, so that nothing is heard. Connect one: the sound moves there by itself. Or set "
      + "[audio] output; vireod --list-outputs shows what there is."
    reportDevice(.silent(text), reason)
  }

  /// The estimated position of the sound, for when the device itself can't tell any more.
  private var positionByClock: Duration {
    guard phase == .playing, let track = heard, let joint = track.state.joint else { return .zero }
    let pushed = timeline.fill.end
    let limit = joint.media + (pushed > joint.running ? pushed - joint.running : 0)
    let passed = anchor.position + .nanoseconds(Int64(clamping: MonotonicTime.now.since(anchor.time)))
    return min(passed, .nanoseconds(Int64(clamping: limit)))
  }

  /// `device` plays.
  func deviceRuns(_ device: Device) {
    if device.isStandIn { return }
    plan.device.ran(at: .now)
    watch = nil
    reportPath()
  }
}
