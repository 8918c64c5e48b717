import Player

/// Opening and releasing the sound device.
extension EngineMachine {
  /// Opens an empty device; ``heard`` may push as soon as its position is right.
  mutating func openSession() {
    // The previous sound fades out first.
    guard heard != nil, !plan.fade.isToEnd else { return }
    if device != nil {
      runSession()
    } else if output.wantsStandIn {
      act(.open(.standIn(because: "no device takes sound")))
    } else {
      act(.open(.configured))
    }
  }

  mutating func opened(_ kind: DeviceKind, keepsFormat: Bool) {
    let isStandIn = if case .standIn = kind { true } else { false }
    output.open = OpenDevice(keepsFormat: keepsFormat, isStandIn: isStandIn)
    if case .standIn(let reason) = kind { standIn(because: reason) }
    act(.setGain(left: gain.left, right: gain.right))
    runSession()
  }

  mutating func notOpened(_ kind: DeviceKind, _ problem: SinkProblem) {
    // A device that has played since the start is awaited instead.
    if case .configured = kind, case .unusable(.absent, let reason) = problem, isAuto, !plan.device.hasRun {
      act(.open(.standIn(because: reason)))
      return
    }
    switch problem {
    case .wrong(let failure):
      // Retrying doesn't correct a wrong name or description.
      guard let id = self[heard]?.id else { return }
      dropTracks()
      fail(id, failure)
      becomeIdle()
    case .unusable(let fault, let reason): deviceFailed(reason, fault)
    }
  }

  private mutating func runSession() {
    guard let heard, let device else { return }
    act(.halt)
    beginSession(forgetFormat: !device.keepsFormat)
    act(.run(paused: isPaused, reportsRefusal: true))
    then(.sessionRuns(heard))
  }

  mutating func sessionRuns(_ serial: Int) {
    guard let track = self[serial], serial == heard, device != nil else { return }
    if track.state.startPosition == 0, !track.mayTurnOutRaw { grantTurn(to: serial) }
  }

  /// Any device will do.
  var isAuto: Bool { (try? SinkChoice(name: configuration.output)) == .auto }

  /// Lets `serial` push its samples, unless the device refuses: closing it would lose them. The next device asks again.
  mutating func grantTurn(to serial: Int) {
    if device != nil, !plan.device.hasRefused, !plan.fade.isToEnd { grant(serial) }
  }

  /// Nothing plays any more; the device is kept for a while.
  mutating func becomeIdle() {
    playback.stop()
    guard let device else { return reportDevice(.closed) }
    if configuration.releaseAfter <= .zero || device.isStandIn {
      releaseDevice()
    } else {
      plan.scheduleRelease(after: configuration.releaseAfter, at: now)
      scheduleSpare()
    }
  }

  mutating func releaseDevice() {
    plan.cancelRelease()
    guard heard == nil, device != nil else { return }
    guard !plan.fade.isToEnd else { return plan.fade.release() }
    closeDevice()
    output.wantsStandIn = false
    reportDevice(.closed)
    act(.trimMemory)
    log(.debug, "The sound device is released.")
  }

  mutating func closeDevice() {
    detach()
    if device != nil { act(.close) }
    output.open = nil
    plan.cancelRelease()
    plan.fade = FadeOut()
    // Their samples would be converted to this device's format.
    dropPrepared()
    dropSpare()
  }
}
