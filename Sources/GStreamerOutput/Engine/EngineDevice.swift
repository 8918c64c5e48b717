import CGStreamer
import Player

/// Opening, losing and letting go of the sound device.
extension Engine {
  /// Pauses between attempts to open the device.
  private static let backOff: [Duration] = [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2)]

  /// An empty device, open, with ``heard`` allowed to push as soon as its position is right.
  func openSession() {
    guard let track = heard else { return }
    isEndSent = false
    do {
      if device == nil { device = try makeDevice() }
      guard let device else { return }
      device.halt()
      timeline.reset(source: device.source, forgetFormat: !device.choice.keepsFormat)
      if !device.run(paused: isPaused) {
        deviceRefused()
        return
      }
      if track.startPosition == 0 { timeline.grant(track.serial) }
    } catch {
      // A wrong name or description doesn't get better by trying again.
      dropTracks()
      fail(track.id, error)
      becomeIdle()
    }
  }

  private func makeDevice() throws(PlaybackFailure) -> Device {
    let choice = try SinkChoice(name: configuration.output)
    let device = try Device(
      choice: choice, timeline: timeline, bus: buses.device, mailbox: mailbox, notify: notify)
    device.setGain(left: gain.left, right: gain.right)
    return device
  }

  /// It didn't change its state; why, an error message says, which is on its way.
  func deviceRefused() {
    alarms.refusal = .now + .milliseconds(100)
  }

  /// Lets `track` push; not into a device that refuses, which would take it along when it is closed. The next one asks again.
  func grantTurn(to track: Track) {
    if alarms.refusal == nil { timeline.grant(track.serial) }
  }

  /// The device is absent, busy or broken: tries again a few times, where the sound stopped.
  func deviceFailed(_ reason: String) {
    guard let track = heard, device != nil else { return }
    guard alarms.retry == nil else { return }
    let position = max(position(of: track), positionByClock).wholeNanosecondsWord
    timeline.grant(nil)
    closeDevice()
    alarms = Alarms()
    phase = .loading
    if attempts < Self.backOff.count {
      logger.warning(
        "The sound device \(configuration.output) can't be used: \(reason). Trying again in \(Self.backOff[attempts])."
      )
      alarms.retry = .now + Self.backOff[attempts]
      attempts += 1
      if track.joint != nil { track.startPosition = position }
    } else {
      let failure = PlaybackFailure(
        .device,
        "The sound device \(configuration.output) can't be used: \(reason). Check that it is connected and not "
          + "in use, or choose another output.")
      dropTracks()
      fail(track.id, failure)
      becomeIdle()
    }
  }

  /// Where the sound must have been, when the device itself can't tell any more.
  private var positionByClock: Duration {
    guard phase == .playing, let track = heard, let joint = track.joint else { return .zero }
    let pushed = timeline.monitor.locked { timeline.end }
    let limit = joint.media + (pushed > joint.running ? pushed - joint.running : 0)
    let passed = anchor.position + .nanoseconds(Int64(clamping: MonotonicTime.now.since(anchor.time)))
    return min(passed, .nanoseconds(Int64(clamping: limit)))
  }

  func retryDevice() {
    guard let track = heard else { return }
    let next = nextWanted
    if feeding !== track { dropUpcoming() }
    begin(track)
    guard device != nil, heard === track else { return }
    // What was on its way to the device is lost: back to where it was heard last, or on with what comes.
    if track.isReady, track.isSeekable, track.hasPushed || track.startPosition > 0 {
      performSeek(track, track.startPosition)
    } else if track.format != nil {
      // A seek of before the device was there may still be under way: its samples find nobody else who lets them go on.
      grantTurn(to: track)
    }
    if upcoming == nil, next != nil { setNext(next) }
    // Who had come to the end already doesn't say so again.
    decide()
  }

  /// Nothing plays; the device is kept for a while.
  func becomeIdle() {
    phase = .idle
    guard device != nil else { return }
    if configuration.releaseAfter <= .zero {
      releaseDevice()
    } else {
      alarms.release = .now + configuration.releaseAfter
    }
  }

  func releaseDevice() {
    alarms.release = nil
    guard heard == nil, device != nil else { return }
    closeDevice()
    malloc_trim(0)
    logger.debug("The sound device is released.")
  }

  private func closeDevice() {
    timeline.reset(source: nil, forgetFormat: true)
    device = nil
    // Its samples would be converted to what this device had.
    dropPrepared()
  }
}
