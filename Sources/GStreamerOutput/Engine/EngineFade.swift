import CGStreamer
import Player

/// What follows a fade-out.
enum Fade: Equatable {
  /// Playback pauses immediately after the last sample that was heard.
  case pause
  /// The device is emptied and ``Engine/heard``, if any, begins. `releasing`: on a device that is opened anew.
  case end(releasing: Bool)
}

/// Fading out before the sound stops, because a cut clicks.
///
/// The device goes on until the faded samples have been heard. Those in its own buffer are heard before them, unfaded:
/// they are out of reach.
extension Engine {
  /// A fade that takes longer is cut short.
  private static let longestFade = Duration.seconds(1)

  /// The previous sound is fading out, and nothing else may use the device yet.
  var isFadingToEnd: Bool { if case .end = fade { true } else { false } }

  /// Fades out the sound and then does `next`. False if nothing plays that could fade.
  func fadeOut(_ next: Fade) -> Bool {
    guard let device, phase == .playing else { return false }
    let isNew = fade == nil
    fade = next
    if isNew {
      fadeLimit = .now + Self.longestFade
      deadlines.silence = fadeLimit
      device.source.close()
    }
    return true
  }

  /// The last samples are in the device: schedules the moment when they have been heard.
  func silenced() {
    guard fade != nil, let device, let silence = device.source.silence else { return }
    let running = device.runningTime
    let wait = Duration.nanoseconds(Int64(clamping: silence > running ? silence - running : 0))
    deadlines.silence = min(fadeLimit, .now + wait)
  }

  func silenceDue() {
    guard let fade else { return }
    // The device's clock and the monotonic clock differ a little.
    if MonotonicTime.now < fadeLimit, isStillHeard {
      silenced()
      deadlines.silence = deadlines.silence.map { max($0, .now + .milliseconds(2)) }
      return
    }
    self.fade = nil
    switch fade {
    case .pause: pauseFaded()
    case .end(let releasing): sessionFaded(releasing)
    }
  }

  private var isStillHeard: Bool {
    guard let device, let silence = device.source.silence else { return false }
    return device.runningTime < silence
  }

  private func pauseFaded() {
    guard let device, let heard, isPaused else { return }
    device.hold()
    deadlines.joint = nil
    deadlines.opening = nil
    phase = .paused
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
    guard device != nil, heard === track, track.format != nil else { return }
    takeTurn(track)
    decide()
  }

  /// The sound goes on instead of fading out.
  func abandonFade() {
    fade = nil
    deadlines.silence = nil
    device?.source.open()
  }
}
