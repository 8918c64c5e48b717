import CGStreamer
import Player

/// Opening, losing and releasing the sound device.
extension Engine {
  /// Opens an empty device; ``heard`` may push as soon as its position is right.
  func openSession() {
    // The previous sound fades out first.
    guard let track = heard, !plan.fade.isToEnd else { return }
    do throws(SinkProblem) {
      if device == nil { device = try makeDevice() }
      guard let device else { return }
      device.halt()
      timeline.reset(entry: device.source, forgetFormat: !device.keepsFormat)
      if !device.run(paused: isPaused) {
        deviceRefused()
        return
      }
      if track.state.startPosition == 0, !track.mayTurnOutRaw { timeline.grant(track.serial) }
    } catch {
      switch error {
      case .wrong(let failure):
        // Retrying doesn't correct a wrong name or description.
        dropTracks()
        fail(track.id, failure)
        becomeIdle()
      case .unusable(let fault, let reason): deviceFailed(reason, fault)
      }
    }
  }

  private func makeDevice() throws(SinkProblem) -> Device {
    let choice: SinkChoice
    do throws(PlaybackFailure) {
      choice = try SinkChoice(name: configuration.output)
    } catch {
      throw .wrong(error)
    }
    let device: Device
    do throws(SinkProblem) {
      device = try makeDevice(choice, isStandIn: wantsStandIn)
      if wantsStandIn { standIn(because: "no device takes sound") }
    } catch {
      // A device that has played since the start is awaited instead.
      guard case .unusable(.absent, let reason) = error, choice == .auto, !plan.device.hasRun else {
        throw error
      }
      device = try makeDevice(choice, isStandIn: true)
      standIn(because: reason)
    }
    device.source.setGain(left: gain.left, right: gain.right)
    return device
  }

  private func makeDevice(_ choice: SinkChoice, isStandIn: Bool) throws(SinkProblem) -> Device {
    try Device(
      choice: choice, isStandIn: isStandIn,
      session: Session(
        latency: DeviceBuffering(buffer: configuration.deviceBuffer, period: configuration.devicePeriod)),
      timeline: timeline, bus: deviceBus, mailbox: mailbox, mapping: configuration.channels,
      quality: configuration.resampler, rates: configuration.rates, notify: notify)
  }

  /// The device didn't change its state; the error message that says why is on its way.
  func deviceRefused() {
    plan.device.refused(at: .now)
  }

  /// Lets `track` push its samples, unless the device refuses: closing it would lose them. The next device asks again.
  func grantTurn(to track: Track) {
    if !plan.device.hasRefused, !plan.fade.isToEnd { timeline.grant(track.serial) }
  }

  /// Nothing plays any more; the device is kept for a while.
  func becomeIdle() {
    playback.stop()
    guard device != nil else { return reportDevice(.closed) }
    if configuration.releaseAfter <= .zero || device?.isStandIn == true {
      releaseDevice()
    } else {
      plan.scheduleRelease(after: configuration.releaseAfter, at: .now)
      scheduleSpare()
    }
  }

  func releaseDevice() {
    plan.cancelRelease()
    guard heard == nil, device != nil else { return }
    guard !plan.fade.isToEnd else { return plan.fade.release() }
    closeDevice()
    wantsStandIn = false
    reportDevice(.closed)
    malloc_trim(0)
    logger.debug("The sound device is released.")
  }

  func closeDevice() {
    timeline.reset(entry: nil, forgetFormat: true)
    device = nil
    plan.fade = FadeOut()
    // Their samples would be converted to this device's format.
    dropPrepared()
    dropSpare()
  }
}
