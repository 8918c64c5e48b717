import Player

/// GStreamer's messages.
extension EngineMachine {
  // MARK: The device's

  mutating func handle(_ message: DeviceMessage) {
    switch message {
    case .failed(let reason, let fault): deviceFailed(reason, fault)
    case .ended: if isEndSent { deviceEnded() }
    case .stateChanged: checkRunning()
    case .settled:
      checkPaused()
      checkRunning()
    case .clockLost:
      // A device that refused to play is given up soon.
      guard !isPaused, !plan.device.hasRefused, phase == .playing || phase == .loading else { return }
      act(.restartClock)
    }
  }

  /// Reports that sound plays, once the device says so.
  mutating func checkRunning() {
    // The device is asked only when it matters.
    guard device != nil, let heard, let track = self[heard], track.state.joint != nil, phase == .loading,
      !isPaused, world.openDevice?.isPlaying == true, playback.isHeard()
    else { return }
    readOn(heard)
    deviceRuns()
    plan.server.end()
    unreportedEnd = nil
    scheduleSpare()
    if self[heard]?.state.started() == true { emit(.started(track.id)) }
    // Some demuxers know it only after the first samples.
    inquire(heard)
    emitExtent(heard)
    emit(.playing(track.id, position: position(of: track)))
    scheduleJoint()
    if plan.next.deadline == nil { scheduleOpening() }
    then(.lookForStarvation)
  }

  mutating func checkPaused() {
    // At the very end of a track there may be no samples, only the end of stream.
    guard let heard, let track = self[heard], playback.isReady(hasSamples: track.state.joint != nil) else {
      return
    }
    readOn(heard)
    plan.server.end()
    deviceRuns()
    emit(.paused(track.id, position: position(of: track)))
    if plan.next.deadline == nil { scheduleOpening() }
  }

  // MARK: A track's

  mutating func handle(_ message: TrackMessage, of serial: Int) {
    guard let track = self[serial] else { return }
    switch message {
    case .failed(let report): trackError(report, track)
    case .refused(let address): trackFailed(track, .leads(track.name, to: address))
    case .missing(let plugin): self[serial]?.information.missing = plugin
    case .answered(let answer):
      self[serial]?.information.read(answer)
      partAnswered(serial, answer)
      serverAnswered(serial)
      readRawIfTold(serial)
    case .tags(let update): merge(update, track)
    case .durationChanged:
      inquire(serial)
      if serial == heard, track.state.format != nil { emitExtent(serial) }
    }
  }

  private mutating func merge(_ update: TagUpdate, _ before: TrackRecord) {
    let serial = before.serial
    guard self[serial]?.information.merge(update) == true, let track = self[serial] else { return }
    if before.information.readRate != track.information.readRate, track.state.hasPushed { readOn(serial) }
    guard serial == heard, track.state.format != nil else { return }
    if before.information.tags != track.information.tags {
      emit(.tags(track.id, track.information.tags))
    }
    if before.information.bitRate != track.information.bitRate { emitDetails(serial) }
  }

  /// Reads a track as raw samples if the server's answer says so.
  ///
  /// Raw samples can't be told from noise, or from a video that they resemble by chance. So the header, which comes
  /// before the first of them, decides.
  private mutating func readRawIfTold(_ serial: Int) {
    guard let track = self[serial], !track.isRaw, track.state.format == nil,
      (200..<300).contains(track.information.httpStatus),
      let raw = RawPCM(contentType: track.information.contentType)
    else { return }
    replace(track, uri: track.uri, rawPCM: raw)
  }

  private mutating func trackError(_ report: ErrorReport, _ track: TrackRecord) {
    let serial = track.serial
    // The source stops for the reason that it has reported already.
    if report.isFromSource, track.state.failure != nil {
      act(.carryOn, on: serial)
      return
    }
    if track.isNetwork, !track.state.hasPushed, track.redirects < configuration.maximumRedirects {
      do throws(PlaybackFailure) {
        if let target = try report.redirectTarget(from: track.uri, track.information) {
          self[serial]?.redirects += 1
          replace(track, uri: target, rawPCM: nil)
          return
        }
      } catch {
        trackFailed(track, error)
        return
      }
    }
    if report.isRangeRefused, isFirstRefusal(track) { return readWithoutRanges(serial) }
    if let variant = nextVariant(of: track) { return play(variant, of: track) }
    // Nothing of it has been heard yet, so what has come is worthless: Play asks the server again.
    if serial == prepared { return dropPrepared() }
    act(.takeServerFaults, on: serial)
    then(.judge(serial, report))
  }

  /// Nothing else can be tried after this error of a track: it fails, or plays what has come.
  mutating func judge(_ report: ErrorReport, of serial: Int) {
    // What has come so far answered other requests.
    if report.isFromPart, world.view(serial)?.awaitsAnswer == true {
      self[serial]?.information.httpStatus = 0
    }
    guard let track = self[serial] else { return }
    let hasNoAnswer = report.isNoAnswer && track.information.httpStatus == 0
    if report.isRangeRefused || hasNoAnswer, serial == heard, phase == .buffering || phase == .loading,
      plan.server.isSilent(at: now)
    {
      trackFailed(track, timeOut(track))
      return
    }
    let failure = report.failure(track)
    if report.isFromSource, playsOn(track) {
      self[serial]?.state.breaksOff(failure)
      act(.carryOn, on: serial)
      log(.info, "\(track.name) broke off; the part that has arrived is still played.")
    } else {
      trackFailed(track, failure)
    }
  }

  /// Whether the server promised ranges, and the first request for one shows that it has none.
  private func isFirstRefusal(_ track: TrackRecord) -> Bool {
    track.serial == heard && track.state.joint == nil && track.state.epoch > 0 && !track.state.isRangeRefused
  }

  /// Whether what the track's server has sent so far is worth hearing; the end of stream follows the error.
  private func playsOn(_ track: TrackRecord) -> Bool {
    track.isNetwork && (world.view(track.serial)?.progress ?? 0) > 0
      && (track.state.joint != nil || (!track.state.hasPushed && track.state.startPosition == 0))
  }

  // MARK: Another way to the same sound

  /// Restarts `track` from `uri`, at its start position or with another parser, as if nothing of it had come.
  ///
  /// - Parameter variants: what else to try if `uri`, a variant from the track's list, fails; nil if it isn't a
  ///   variant.
  mutating func replace(_ track: TrackRecord, uri: String, rawPCM: RawPCM?, variants: [String]? = nil) {
    // Neither a redirect nor a list from the network may lead to local files.
    guard !track.isNetwork || TrackSource.isNetwork(uri) else {
      trackFailed(track, .leads(track.name, to: uri))
      return
    }
    make(
      id: track.id, media: track.media, uri: uri, rawPCM: rawPCM, variants: variants,
      for: .replacement(of: track.serial))
  }

  mutating func replacementMade(_ track: TrackRecord, for replaced: Int) {
    guard let before = self[replaced] else { return }
    var track = track
    let serial = track.serial
    track.replace(before)
    add(track)
    if replaced == heard {
      hear(serial)
      feeding = serial
      if track.state.startPosition == 0, !track.mayTurnOutRaw { grantTurn(to: serial) }
    } else if replaced == prepared {
      prepared = serial
    } else {
      upcoming = serial
    }
    dispose(replaced)
    act(.run, on: serial)
  }
}
