import Player

/// The notices of the streaming threads, and what follows from them.
extension EngineMachine {
  mutating func handle(_ notice: PipelineEvent) {
    switch notice {
    case .ready(let serial, let epoch, let format):
      if track(serial, epoch: epoch) != nil { ready(serial, format) }
    case .joined(let serial, let epoch, let running, let media):
      if track(serial, epoch: epoch) != nil { joined(serial, running, media) }
    case .finished(let serial, let epoch): if track(serial, epoch: epoch) != nil { finished(serial) }
    case .sourceEnded(let serial):
      if self[serial] != nil, serial == heard, phase == .playing, plan.next.isUntried { scheduleOpening() }
    case .soundless(let serial):
      guard let track = self[serial], track.state.failure == nil else { return }
      trackFailed(track, ErrorReport.soundless(uri: track.name, track.information))
    case .list(let serial): if let track = self[serial] { trackFailed(track, .isList(track.name)) }
    case .encoded(let serial, let codec):
      guard let track = self[serial], track.information.codec != codec else { return }
      self[serial]?.information.codec = codec
      if serial == heard, track.state.format != nil { emitDetails(serial) }
    case .layout(let serial, let layout): if let track = self[serial] { readingBegins(track, layout) }
    case .oggEnd(let serial, let finding): if self[serial] != nil { readingEnds(serial, finding) }
    case .readOn(let serial, let epoch, let offset):
      if track(serial, epoch: epoch) != nil { act(.goOnReading(at: offset, epoch: epoch), on: serial) }
    case .room(let serial, let notice): handle(notice, of: serial)
    case .starved: starved()
    case .fed:
      plan.isFed()
      resumeIfFed()
    case .silenced: silenced()
    case .writeFailed(let reason):
      if device != nil { deviceFailed("the file can't be written (\(reason))", .unusable) }
    case .deviceMayHaveAppeared: deviceMayHaveAppeared()
    }
  }

  private mutating func ready(_ serial: Int, _ format: StreamFormat) {
    let isFirst = self[serial]?.state.ready(format) == true
    if seekOn(serial) { return }
    if isFirst {
      inquire(serial)
      if serial == heard {
        if welcome(serial) { return }
      } else if serial == prepared, self[serial]?.hasEnd(world.view(serial)) == false {
        // A prepared live stream would lag behind when it is started.
        dropPrepared()
        return
      } else {
        readOn(serial)
      }
    } else if serial == heard {
      emitDetails(serial)
    }
    then(.decide)
  }

  /// The first samples of `serial`, the heard track, wait. True if it seeks first.
  mutating func welcome(_ serial: Int) -> Bool {
    emitFacts(serial)
    if takeTurn(serial) { return true }
    if self[serial]?.duration != nil { then(.scheduleOpening) }
    return false
  }

  /// A track whose first samples wait seeks to its start position or gets the turn. True if it seeks.
  @discardableResult
  mutating func takeTurn(_ serial: Int) -> Bool {
    guard !plan.fade.isToEnd, let track = self[serial] else { return false }
    let position = track.state.startPosition
    if position > 0, track.isSeekable, world.view(serial)?.mustBeginAnew(for: position) != true {
      performSeek(serial, position)
      return true
    }
    skipToStartPosition(serial)
    return false
  }

  private mutating func joined(_ serial: Int, _ running: UInt, _ media: UInt) {
    self[serial]?.state.joined(running: running, media: media)
    readOn(serial)
    // The device has samples now: it must begin to play.
    if self[serial]?.isRoom == true, phase == .loading { plan.server.starved(at: now) }
    if device?.keepsFormat == true, let format = world.fill.format { act(.convert(format), on: serial) }
    if serial == heard {
      checkRunning()
    } else {
      scheduleJoint()
    }
  }

  private mutating func finished(_ serial: Int) {
    self[serial]?.state.finished()
    if seekOn(serial) { return }
    correctDuration(serial)
    guard let track = self[serial] else { return }
    if track.state.isEmpty {
      trackFailed(track, PlaybackFailure(.corrupt, "\(track.name) holds no sound."))
    } else {
      then(.decide)
      then(.resumeIfFed)
    }
  }

  mutating func starved() {
    then(.decide)
    then(.startStarvation)
  }

  mutating func startStarvation() {
    if phase == .playing, !isEndSent, self[feeding]?.state.isFinished == false { plan.runsDry(at: now) }
  }

  // MARK: What the player is told

  /// Reports duration, seekability, format and tags of the heard track.
  mutating func emitFacts(_ serial: Int) {
    emitExtent(serial)
    emitDetails(serial)
    guard let track = self[serial], track.information.tags != StreamTags() else { return }
    emit(.tags(track.id, track.information.tags))
  }

  /// Reports duration and seekability, where the player doesn't know them yet.
  mutating func emitExtent(_ serial: Int) {
    guard let track = self[serial] else { return }
    if let duration = track.duration, self[serial]?.reports.isNew(duration: duration) == true {
      emit(.duration(track.id, .nanoseconds(Int64(clamping: duration))))
      // The average bit rate follows from the length.
      emitDetails(serial)
    }
    if self[serial]?.reports.isNew(isSeekable: track.isSeekable) == true {
      emit(.seekable(track.id, track.isSeekable))
    }
  }

  mutating func emitDetails(_ serial: Int) {
    // The sender says what another room plays.
    guard let track = self[serial], !track.isRoom else { return }
    let view = world.view(serial)
    var details = track.information.details(view?.decodedFormat ?? track.state.format)
    details.hasEnd = track.promisesEnd(view)
    details.isStation = track.information.isStation
    if self[serial]?.reports.isNew(details: details) == true { emit(.details(track.id, details)) }
  }

  /// Corrects a demuxer's guess at the duration once all samples have been counted.
  private mutating func correctDuration(_ serial: Int) {
    // With a lost device, the frame count that the joint refers to is lost, too.
    guard device != nil, let counted = self[serial]?.state.duration(end: world.fill.end) else { return }
    self[serial]?.exactDuration = counted
    if serial == heard {
      inquire(serial)
      emitExtent(serial)
    }
  }
}
