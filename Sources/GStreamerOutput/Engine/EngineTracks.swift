import CGStreamer
import Player

/// What the streaming threads told, and what follows of it.
extension Engine {
  func handle(_ notice: Notice) {
    switch notice {
    case .ready(let serial, let epoch, let format):
      if let track = track(serial, epoch: epoch) { ready(track, format) }
    case .joined(let serial, let epoch, let running, let media):
      if let track = track(serial, epoch: epoch) { joined(track, running, media) }
    case .finished(let serial, let epoch):
      guard let track = track(serial, epoch: epoch) else { return }
      track.isFinished = true
      if seekOn(track) { return }
      correctDuration(track)
      if !track.isReady, track.joint == nil, track.format == nil {
        trackFailed(track, PlaybackFailure(.corrupt, "\(redacted(uri: track.media.uri)) holds no sound."))
      } else {
        decide()
        if phase == .buffering { resumeIfFed() }
      }
    case .soundless(let serial):
      guard let track = track(serial), track.failure == nil else { return }
      trackFailed(track, ErrorReport.soundless(uri: redacted(uri: track.media.uri), track.information))
    case .encoded(let serial, let codec):
      guard let track = track(serial), track.information.codec != codec else { return }
      track.information.codec = codec
      if track === heard, track.format != nil { emitDetails(track) }
    case .starved:
      decide()
      if phase == .playing, !isEndSent, feeding?.isFinished == false {
        alarms.starvation = .now + .milliseconds(150)
      }
    case .fed:
      alarms.starvation = nil
      if phase == .buffering { resumeIfFed() }
    case .writeFailed(let reason):
      deviceFailed("the file can't be written (\(reason))")
    }
  }

  private func ready(_ track: Track, _ format: StreamFormat) {
    let isFirst = track.format == nil
    track.isReady = true
    track.format = format
    if seekOn(track) { return }
    if isFirst {
      track.inquire()
      if track === heard {
        emitFacts(track)
        if track.startPosition > 0, track.isSeekable {
          performSeek(track, track.startPosition)
          return
        }
        track.startPosition = 0
        if feeding === track { grantTurn(to: track) }
      } else {
        track.readOn(ahead: configuration.buffer)
      }
    } else if track === heard {
      emitDetails(track)
    }
    decide()
  }

  /// A seek has come through: goes on to where the next one wants. False when there is none.
  private func seekOn(_ track: Track) -> Bool {
    guard track === heard, let position = track.awaitedSeek else { return false }
    performSeek(track, position)
    return true
  }

  private func joined(_ track: Track, _ running: guint64, _ media: guint64) {
    track.joint = (running, media)
    track.hasPushed = true
    track.readOn(ahead: configuration.buffer)
    if device?.choice.keepsFormat == true, let format = timeline.monitor.locked({ timeline.format }) {
      track.convert(to: format)
    }
    if track === heard {
      checkRunning()
    } else {
      scheduleJoint()
    }
  }

  /// Duration, seekability, format and tags of a track that is heard now.
  private func emitFacts(_ track: Track) {
    emitExtent(track)
    emitDetails(track)
    if track.information.tags != StreamTags() { emit(.tags(track.id, track.information.tags)) }
  }

  /// Duration and seekability, as far as the player doesn't know them.
  func emitExtent(_ track: Track) {
    if let duration = track.duration, duration != track.toldDuration {
      track.toldDuration = duration
      emit(.duration(track.id, .nanoseconds(Int64(clamping: duration))))
    }
    if track.isSeekable != track.toldSeekable {
      track.toldSeekable = track.isSeekable
      emit(.seekable(track.id, track.isSeekable))
    }
  }

  func emitDetails(_ track: Track) {
    let details = track.information.details(track.trim.decodedFormat ?? track.format)
    guard details != track.toldDetails else { return }
    track.toldDetails = details
    emit(.details(track.id, details))
  }

  /// A track whose samples have all been counted can't last as long as a demuxer guessed.
  private func correctDuration(_ track: Track) {
    let end = timeline.monitor.locked { timeline.end }
    // When the device is lost, so is the count that the joint belongs to.
    guard let joint = track.joint, track.failure == nil, device != nil, end >= joint.running else { return }
    track.exactDuration = joint.media + (end - joint.running)
    if track === heard {
      track.inquire()
      emitExtent(track)
    }
  }

  // MARK: From one track to the next

  private func isMismatched(_ track: Track) -> Bool {
    timeline.monitor.locked { timeline.format != nil && timeline.format != track.format }
  }

  /// Decides who pushes next: called whenever a track is ready, has ended, or the device is empty.
  func decide() {
    guard let feeding, device != nil, !isEndSent else { return }
    if !feeding.isFinished {
      // A stream that changes its format midway: what came before is played to its end first.
      if feeding.isReady, isMismatched(feeding) { sendEnd() }
      return
    }
    let (isStarved, isEmpty) = timeline.monitor.locked { (timeline.isStarved, timeline.frames == 0) }
    guard feeding === heard, feeding.failure == nil, let next = upcoming else {
      // While it is paused there is time for a next track yet; without any samples there is nothing to wait with.
      if isStarved || isEmpty, !isPaused || isEmpty { sendEnd() }
      return
    }
    guard next.isReady else {
      if isStarved || isEmpty { waitForNext() }
      return
    }
    if isMismatched(next), device?.choice.keepsFormat == true {
      // It was made before the recording had its format.
      let wanted = nextWanted
      dropUpcoming()
      setNext(wanted)
    } else if isMismatched(next) || feeding.joint == nil {
      // In another format the device is begun anew, and so it is when nothing of the heard track is in it (sought to its
      // very end): there is no sound yet that something could be joined to.
      sendEnd()
    } else {
      self.feeding = next
      timeline.grant(next.serial)
    }
  }

  /// The next track isn't there in time.
  private func waitForNext() {
    guard let device, phase == .playing || phase == .buffering else { return }
    if device.choice.keepsFormat {
      // A recording goes on where it was.
      guard phase == .playing else { return }
      _ = device.run(paused: true)
      phase = .buffering
      lastProgress = .now
      alarms.watch = .now + .milliseconds(250)
    } else {
      // A sound device plays what it has to the end, and is begun anew.
      sendEnd()
    }
  }

  private func sendEnd() {
    if phase == .buffering {
      phase = .loading
      _ = device?.run(paused: isPaused)
    }
    isEndSent = true
    alarms.starvation = nil
    timeline.grant(nil)
    device?.end()
  }

  private func scheduleJoint() {
    guard let next = upcoming, next === feeding, let joint = next.joint, let device, phase == .playing
    else { return }
    let running = device.runningTime
    let wait = joint.running > running ? joint.running - running : 0
    alarms.joint = .now + .nanoseconds(Int64(clamping: wait))
  }

  func jointDue() {
    guard let next = upcoming, let joint = next.joint, let device else { return }
    // The sink's clock and ours differ a little.
    if device.runningTime &+ 2_000_000 < joint.running {
      scheduleJoint()
      alarms.joint = alarms.joint.map { max($0, .now + .milliseconds(2)) }
    } else {
      advance(to: next)
    }
  }

  /// `next` is heard from now on.
  private func advance(to next: Track) {
    alarms.joint = nil
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
    logger.debug("Heard now without a gap: \(redacted(uri: next.media.uri))")
    decide()
  }

  /// The device has played everything.
  func deviceEnded() {
    guard let heard, let feeding else { return }
    isEndSent = false
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
      begin(next)
    } else {
      let (id, failure) = (current.id, current.failure)
      dropTracks()
      if let failure { fail(id, failure) } else { emit(.ended(id)) }
      becomeIdle()
    }
  }

  /// Tells that sound runs, or that it is silent and ready, once the device says so.
  func checkRunning() {
    guard let device, let heard, heard.joint != nil, phase == .loading, !isPaused, device.isPlaying else {
      return
    }
    attempts = 0
    phase = .playing
    alarms.watch = nil
    endedBefore = nil
    if !heard.isStarted {
      heard.isStarted = true
      emit(.started(heard.id))
    }
    // Some demuxers know only after the first samples.
    heard.inquire()
    emitExtent(heard)
    emit(.playing(heard.id, position: position(of: heard)))
    scheduleJoint()
    if timeline.monitor.locked({ timeline.isStarved }) { handle(.starved) }
  }

  func checkPaused() {
    // At the very end of a track there may be nothing but the end.
    guard let heard, heard.joint != nil || isEndSent, phase == .loading, isPaused else { return }
    phase = .paused
    alarms.watch = nil
    emit(.paused(heard.id, position: position(of: heard)))
  }

  /// An error of `track`'s own pipeline.
  func trackFailed(_ track: Track, _ failure: PlaybackFailure) {
    // What came first led to the rest.
    let failure = track.failure ?? failure
    if track === heard {
      let ended = endedBefore
      dropTracks()
      fail(track.id, failure)
      if let ended { emit(.ended(ended)) }
      becomeIdle()
    } else if track === upcoming {
      if feeding === track, track.joint != nil {
        // Some of it is on its way to be heard: that much is played.
        track.failure = failure
        track.feed.flush()
        track.isFinished = true
        decide()
        return
      }
      dropUpcoming()
      fail(track.id, failure)
      decide()
    }
  }
}
