import CGStreamer
import Player

/// What the ``FadeOut`` of the plan means for the device.
extension Engine {
  /// Fades out the sound and then does `next`. False if nothing plays that could fade.
  func fadeOut(_ next: FadeOut.Purpose) -> Bool {
    guard let device, phase == .playing else { return false }
    if plan.fade.begin(next, at: .now) { device.source.close() }
    return true
  }

  /// The last samples are in the device: schedules the moment when they have been heard.
  func silenced() {
    if let rest = fadeRest { plan.fade.isInDevice(for: rest, at: .now) }
  }

  func silenceDue() {
    switch plan.fade.end(rest: fadeRest, at: .now) {
    case .pause: pauseFaded()
    case .end(let releasing): sessionFaded(releasing)
    case nil: break
    }
  }

  /// How long the device still plays what fades out; nil until all of that is in the device.
  private var fadeRest: Duration? {
    guard plan.fade.purpose != nil, let device, let silence = device.source.silence else { return nil }
    let running = device.runningTime
    return .nanoseconds(Int64(clamping: silence > running ? silence - running : 0))
  }

  private func pauseFaded() {
    guard let device, let heard, isPaused else { return }
    device.hold()
    plan.soundStops()
    playback.fadedOut()
    emit(.paused(heard.id, position: position(of: heard)))
  }

  /// The previous sound has faded out.
  private func sessionFaded(_ releasing: Bool) {
    device?.halt()
    if releasing { closeDevice() }
    guard let track = heard else {
      becomeIdle()
      return
    }
    openSession()
    // If a track was started meanwhile, its samples wait already.
    guard device != nil, heard === track, track.state.format != nil else { return }
    takeTurn(track)
    decide()
  }

  /// The sound goes on instead of fading out.
  func abandonFade() {
    plan.fade = FadeOut()
    device?.source.open()
  }
}
