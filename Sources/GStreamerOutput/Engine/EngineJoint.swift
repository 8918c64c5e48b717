import CGStreamer
import Player

/// From one track to the next: which track pushes samples, which one is heard, and what follows when the device has
/// played everything.
extension Engine {
  private func isMismatched(_ track: Track) -> Bool {
    let format = timeline.fill.format
    return format != nil && format != track.format
  }

  /// Decides which track pushes next. Called whenever a track is ready or has ended, or the device is empty.
  func decide() {
    guard let feeding, device != nil, !isEndSent, !isFadingToEnd else { return }
    if feeding === heard, feeding.isFinished, feeding.failure == nil, nextFailures == 0 { openNext() }
    if !feeding.isFinished {
      // A stream changes its format midway: the earlier samples are played to their end first.
      if feeding.isReady, isMismatched(feeding) { sendEnd() }
      return
    }
    let fill = timeline.fill
    let (isStarved, isEmpty) = (fill.isStarved, fill.isEmpty)
    guard feeding === heard, feeding.failure == nil, let next = upcoming else {
      // While paused, a next track may still come; without any samples there is nothing to pause on.
      if isStarved || isEmpty, !isPaused || isEmpty { sendEnd() }
      return
    }
    guard next.isReady else {
      if isStarved || isEmpty { waitForNext() }
      return
    }
    if isMismatched(next), device?.keepsFormat == true {
      // It was made before the recording's format was known.
      let wanted = nextWanted
      dropUpcoming()
      setNext(wanted)
    } else if isMismatched(next) || feeding.joint == nil {
      // The device is restarted for another format, and also when it has no samples of the heard track (sought to its
      // very end): there is no sound to join to.
      sendEnd()
    } else {
      self.feeding = next
      timeline.grant(next.serial)
    }
  }

  /// The next track isn't ready in time.
  private func waitForNext() {
    guard let device, phase == .playing || phase == .buffering else { return }
    if device.keepsFormat {
      // A recording pauses and goes on where it was.
      guard phase == .playing else { return }
      _ = device.run(paused: true)
      phase = .buffering
      lastProgress = .now
      deadlines.watch = .now + .milliseconds(250)
    } else {
      // A sound device plays out what it has and is restarted.
      sendEnd()
    }
  }

  private func sendEnd() {
    if phase == .buffering {
      phase = .loading
      _ = device?.run(paused: isPaused)
    }
    isEndSent = true
    deadlines.starvation = nil
    timeline.grant(nil)
    device?.end()
  }

  func scheduleJoint() {
    guard let next = upcoming, next === feeding, let joint = next.joint, let device, phase == .playing
    else { return }
    let running = device.runningTime
    let wait = joint.running > running ? joint.running - running : 0
    deadlines.joint = .now + .nanoseconds(Int64(clamping: wait))
  }

  func transitionDue() {
    guard let next = upcoming, let joint = next.joint, let device else { return }
    // The sink's clock and the monotonic clock differ a little.
    if device.runningTime &+ 2_000_000 < joint.running {
      scheduleJoint()
      deadlines.joint = deadlines.joint.map { max($0, .now + .milliseconds(2)) }
    } else {
      advance(to: next)
    }
  }

  /// `next` is heard from now on.
  private func advance(to next: Track) {
    deadlines.joint = nil
    deadlines.opening = nil
    let previous = heard
    heard = next
    upcoming = nil
    nextWanted = nil
    next.isStarted = true
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
    isEndSent = false
    fade = nil
    deadlines.silence = nil
    device?.hasEnded = true
    if feeding !== heard { advance(to: feeding) }
    guard let current = self.heard else { return }
    if !current.isFinished {
      // It goes on in another format.
      current.startPosition = 0
      current.joint = nil
      begin(current)
    } else if current.failure == nil, let next = upcoming {
      endedBefore = current.id
      current.dispose()
      upcoming = nil
      nextWanted = nil
      deadlines.opening = nil
      begin(next)
    } else {
      if let failure = current.failure { fail(current, failure) } else { emit(.ended(current.id)) }
      dropTracks()
      becomeIdle()
    }
  }
}
