import CGStreamer
import Player

/// Servers that are slow or silent.
extension Engine {
  /// Reads ahead as much as is configured, but not before sound plays: reading would take processor time from decoding
  /// the first samples.
  func readOn(_ track: Track) {
    guard track !== prepared, track !== heard || phase != .loading else { return }
    track.readOn(ahead: configuration.buffer)
  }

  /// Lets `track`, which can't seek there, begin at its start position by skipping everything before it.
  func skipToStartPosition(_ track: Track) {
    if track.state.startPosition > 0, track.hasEnd {
      track.feed.skip(to: track.state.startPosition)
      track.state.skips(since: .now)
    } else {
      // A stream without an end begins where it is now.
      track.state.startPosition = 0
    }
    if feeding === track { grantTurn(to: track) }
  }

  /// Lets a track begin where it is, if skipping to its start position takes too long.
  private func endSlowSkip(_ track: Track, _ now: MonotonicTime) {
    guard let begun = track.state.skipBegan, let reached = track.feed.end,
      SkipPace.isTooSlow(reached: reached, wanted: track.state.startPosition, passed: now.since(begun))
    else { return }
    logger.info(
      "\(redacted(uri: track.media.uri)) comes too slowly to go on where it was; it plays from \(reached / 1_000_000_000) s."
    )
    track.state.endSkip(at: reached)
    track.feed.skip(to: reached)
  }

  /// The device has had no samples for a moment, and the track hasn't ended.
  func starvationDue() {
    guard let heard, let device, feeding?.state.isFinished == false, timeline.fill.isStarved,
      playback.starve()
    else { return }
    let position = position(of: heard)
    _ = device.run(paused: true)
    plan.server.starved(at: .now)
    timeline.refill()
    logger.info(
      "\(redacted(uri: heard.media.uri)) comes too slowly; waiting at \(position.components.seconds) s.")
    emit(.buffering(heard.id))
  }

  /// After starvation: resumes once enough has come to last.
  func resumeIfFed() {
    guard phase == .buffering, let track = feeding, let device else { return }
    // Counts samples, not bytes: the bytes that a second takes differ by a factor of a hundred.
    guard track.state.isFinished || timeline.fill.isRefilled else { return }
    timeline.endRefilling()
    guard playback.refill() else { return }
    if !device.run(paused: isPaused) { deviceRefused() }
  }

  func timeOut(_ track: Track) -> PlaybackFailure {
    PlaybackFailure(
      .timedOut,
      "The server of \(redacted(uri: track.media.uri)) sent nothing for \(configuration.networkTimeout.components.seconds) s."
    )
  }

  /// The track that is waited for while sound is loading or starved.
  private var awaited: Track? { heard?.state.isFinished == true ? upcoming ?? heard : heard }

  /// The server of `track` has answered. A station that sends no more than it must does so seconds before its first page.
  ///
  /// Only the first answer counts: a server that fell silent later may answer again and again, and send nothing.
  func answered(_ track: Track) {
    guard track === awaited, track.progress == 0, (200..<300).contains(track.information.httpStatus) else {
      return
    }
    plan.server.answered(at: .now)
  }

  /// Checks a track that is loading or starved.
  func watchDue(_ now: MonotonicTime) {
    guard let heard, let track = awaited, phase == .loading || phase == .buffering else { return }
    endSlowSkip(track, now)
    let situation = ServerWatch.Situation(
      isLoading: phase == .loading, isPaused: isPaused, hasSound: timeline.fill.queued > 0,
      isFinished: track.state.isFinished)
    let found = plan.server.check(&track.seen, bytes: track.progress, situation, at: now)
    if found.isNewWait {
      emit(.buffering(heard.id))
      endedBefore = nil
    }
    switch found.fault {
    case nil: break
    case .deviceStuck: return deviceFailed("it doesn't begin to play", .absent)
    case .serverSilent:
      // A variant whose server is silent says nothing of the others. Each gets the whole time.
      guard tryNextVariant(track) else { return trackFailed(track, timeOut(track)) }
      plan.server.tryAgain(at: now)
    }
    if phase == .buffering { resumeIfFed() }
  }
}
