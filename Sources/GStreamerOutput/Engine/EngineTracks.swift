import CGStreamer
import Player

/// The notices of the streaming threads, and what follows from them.
extension Engine {
  func handle(_ notice: PipelineEvent) {
    switch notice {
    case .ready(let serial, let epoch, let format):
      if let track = track(serial, epoch: epoch) { ready(track, format) }
    case .joined(let serial, let epoch, let running, let media):
      if let track = track(serial, epoch: epoch) { joined(track, running, media) }
    case .finished(let serial, let epoch):
      guard let track = track(serial, epoch: epoch) else { return }
      track.state.finished()
      if seekOn(track) { return }
      correctDuration(track)
      if track.state.isEmpty {
        trackFailed(track, PlaybackFailure(.corrupt, "\(redacted(uri: track.media.uri)) holds no sound."))
      } else {
        decide()
        if phase == .buffering { resumeIfFed() }
      }
    case .sourceEnded(let serial):
      if let track = track(serial), track === heard, phase == .playing, plan.next.isUntried {
        scheduleOpening()
      }
    case .soundless(let serial):
      guard let track = track(serial), track.state.failure == nil else { return }
      trackFailed(track, ErrorReport.soundless(uri: redacted(uri: track.media.uri), track.information))
    case .list(let serial):
      if let track = track(serial) { trackFailed(track, .isList(redacted(uri: track.media.uri))) }
    case .encoded(let serial, let codec):
      guard let track = track(serial), track.information.codec != codec else { return }
      track.information.codec = codec
      if track === heard, track.state.format != nil { emitDetails(track) }
    case .layout(let serial, let layout): if let track = track(serial) { readingBegins(track, layout) }
    case .oggEnd(let serial, let finding): if let track = track(serial) { oggEnds(track, finding) }
    case .readOn(let serial, let epoch, let offset):
      track(serial, epoch: epoch)?.reading?.goOn(at: offset, epoch: epoch)
    case .starved:
      decide()
      if phase == .playing, !isEndSent, feeding?.state.isFinished == false {
        plan.runsDry(at: .now)
      }
    case .fed:
      plan.isFed()
      if phase == .buffering { resumeIfFed() }
    case .silenced: silenced()
    case .writeFailed(let reason):
      if device != nil { deviceFailed("the file can't be written (\(reason))", .unusable) }
    case .deviceMayHaveAppeared: deviceMayHaveAppeared()
    }
  }

  private func ready(_ track: Track, _ format: StreamFormat) {
    let isFirst = track.state.ready(format)
    if seekOn(track) { return }
    if isFirst {
      track.inquire()
      if track === heard {
        if welcome(track) { return }
      } else if track === prepared, !track.hasEnd {
        // A prepared live stream would lag behind when it is started.
        dropPrepared()
        return
      } else {
        readOn(track)
      }
    } else if track === heard {
      emitDetails(track)
    }
    decide()
  }

  /// The first samples of `track`, the heard one, wait. True if it seeks first.
  func welcome(_ track: Track) -> Bool {
    emitFacts(track)
    if takeTurn(track) { return true }
    if track.duration != nil { scheduleOpening() }
    return false
  }

  /// `track`, whose first samples wait, seeks to its start position or gets the turn. True if it seeks.
  @discardableResult
  func takeTurn(_ track: Track) -> Bool {
    guard !plan.fade.isToEnd else { return false }
    if track.state.startPosition > 0, track.isSeekable, !track.mustBeginAnew(for: track.state.startPosition) {
      performSeek(track, track.state.startPosition)
      return true
    }
    skipToStartPosition(track)
    return false
  }

  /// A seek has finished: starts the one that was requested meanwhile. False if there is none.
  private func seekOn(_ track: Track) -> Bool {
    guard track === heard, let position = track.state.awaitedSeek else { return false }
    performSeek(track, position)
    return true
  }

  private func joined(_ track: Track, _ running: guint64, _ media: guint64) {
    track.state.joined(running: running, media: media)
    readOn(track)
    if device?.keepsFormat == true, let format = timeline.fill.format {
      track.convert(to: format)
    }
    if track === heard {
      checkRunning()
    } else {
      scheduleJoint()
    }
  }

  /// Reports duration, seekability, format and tags of the heard track.
  func emitFacts(_ track: Track) {
    emitExtent(track)
    emitDetails(track)
    if track.information.tags != StreamTags() { emit(.tags(track.id, track.information.tags)) }
  }

  /// Reports duration and seekability, where the player doesn't know them yet.
  func emitExtent(_ track: Track) {
    if let duration = track.duration, track.reports.isNew(duration: duration) {
      emit(.duration(track.id, .nanoseconds(Int64(clamping: duration))))
      // The average bit rate follows from the length.
      emitDetails(track)
    }
    if track.reports.isNew(isSeekable: track.isSeekable) {
      emit(.seekable(track.id, track.isSeekable))
    }
  }

  func emitDetails(_ track: Track) {
    var details = track.information.details(track.trim.decodedFormat ?? track.state.format)
    details.hasEnd = track.promisesEnd
    details.isStation = track.information.isStation
    if track.reports.isNew(details: details) { emit(.details(track.id, details)) }
  }

  /// Corrects a demuxer's guess at the duration once all samples have been counted.
  private func correctDuration(_ track: Track) {
    // With a lost device, the frame count that the joint refers to is lost, too.
    guard device != nil, let counted = track.state.duration(end: timeline.fill.end) else { return }
    track.exactDuration = counted
    if track === heard {
      track.inquire()
      emitExtent(track)
    }
  }

  // MARK: Sound plays

  /// Reports that sound plays, once the device says so.
  func checkRunning() {
    // The device is asked only when it matters.
    guard let device, let heard, heard.state.joint != nil, phase == .loading, !isPaused, device.isPlaying,
      playback.isHeard()
    else { return }
    readOn(heard)
    deviceRuns(device)
    plan.server.end()
    endedBefore = nil
    scheduleSpare()
    if heard.state.started() { emit(.started(heard.id)) }
    // Some demuxers know it only after the first samples.
    heard.inquire()
    emitExtent(heard)
    emit(.playing(heard.id, position: position(of: heard)))
    scheduleJoint()
    if plan.next.deadline == nil { scheduleOpening() }
    if timeline.fill.isStarved { handle(.starved) }
  }

  func checkPaused() {
    // At the very end of a track there may be no samples, only the end of stream.
    guard let heard, playback.isReady(hasSamples: heard.state.joint != nil) else { return }
    readOn(heard)
    plan.server.end()
    if let device { deviceRuns(device) }
    emit(.paused(heard.id, position: position(of: heard)))
    if plan.next.deadline == nil { scheduleOpening() }
  }
}
