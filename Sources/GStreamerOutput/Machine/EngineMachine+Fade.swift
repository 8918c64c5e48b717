import Player

/// What the ``FadeOut`` of the plan means for the device.
extension EngineMachine {
  /// Fades out the sound and then does `next`. False if nothing plays that could fade.
  mutating func fadeOut(_ next: FadeOut.Purpose) -> Bool {
    guard device != nil, phase == .playing else { return false }
    if plan.fade.begin(next, at: now) { act(.closeEntry) }
    return true
  }

  /// The last samples are in the device: schedules the moment when they have been heard.
  mutating func silenced() {
    if let rest = fadeRest { plan.fade.isInDevice(for: rest, at: now) }
  }

  mutating func silenceDue() {
    switch plan.fade.end(rest: fadeRest, at: now) {
    case .pause: pauseFaded()
    case .seek(let serial, let position): seekFaded(serial, position)
    case .end(let releasing): sessionFaded(releasing)
    case nil: break
    }
  }

  /// How long the device still plays what fades out; nil until all of that is in the device.
  private var fadeRest: Duration? {
    guard plan.fade.purpose != nil, let device = world.openDevice, let silence = device.silence else {
      return nil
    }
    let running = device.runningTime
    return .nanoseconds(Int64(clamping: silence > running ? silence - running : 0))
  }

  private mutating func pauseFaded() {
    guard device != nil, let heard, isPaused else { return }
    act(.hold)
    plan.soundStops()
    playback.fadedOut()
    then(.tellPaused(heard))
  }

  private mutating func seekFaded(_ serial: Int, _ position: UInt) {
    guard let track = self[serial], serial == heard, device != nil else { return abandonFade() }
    if isPaused { act(.run(paused: true, reportsRefusal: false)) }
    then(.seekFaded(track.serial, position))
  }

  /// The previous sound has faded out.
  private mutating func sessionFaded(_ releasing: Bool) {
    if device != nil { act(.halt) }
    if releasing { closeDevice() }
    guard let heard else {
      becomeIdle()
      return
    }
    openSession()
    then(.sessionFollows(heard))
  }

  /// If a track was started while the previous sound faded out, its samples wait already.
  mutating func sessionFollows(_ serial: Int) {
    guard device != nil, heard == serial, self[serial]?.state.format != nil else { return }
    takeTurn(serial)
    then(.decide)
  }

  /// The sound goes on instead of fading out.
  mutating func abandonFade() {
    plan.fade = FadeOut()
    if device != nil { act(.openEntry) }
  }
}
