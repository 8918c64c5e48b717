import Player

/// Continuing a track at another position.
extension EngineMachine {
  /// - Parameter fading: whether the sound fades out first while other rooms listen, which have been sent more of it.
  mutating func seek(_ track: TrackRecord, _ position: UInt, fading: Bool = true) {
    let serial = track.serial
    guard track.state.format != nil, device != nil, !plan.fade.isToEnd else {
      self[serial]?.state.startPosition = position
      if device == nil, isPaused { tellPaused(serial) }
      return
    }
    // Of two flushes at a time, the first would let through what the second must drop.
    guard world.view(serial)?.isFlushing != true else {
      self[serial]?.state.awaitedSeek = position
      return
    }
    if fading, world.isSending, track.isSeekable, fadeOut(.seek(serial, to: position)) { return }
    performSeek(serial, position)
  }

  /// A seek has finished: starts the one that was requested meanwhile. False if there is none.
  mutating func seekOn(_ serial: Int) -> Bool {
    guard serial == heard, let position = self[serial]?.state.awaitedSeek else { return false }
    performSeek(serial, position)
    return true
  }

  /// Continues `serial` at `position`, with the device emptied.
  mutating func performSeek(_ serial: Int, _ position: UInt) {
    guard let track = self[serial], let view = world.view(serial) else { return }
    self[serial]?.state.awaitedSeek = nil
    if view.awaitsEnd {
      // Whether and how it can be done is known soon.
      self[serial]?.state.awaitedSeek = position
      return
    }
    guard track.isSeekable else {
      log(.info, "\(track.name) can't be sought: its server or format doesn't allow it.")
      _ = self[serial]?.reports.isNew(isSeekable: false)
      emit(.seekable(track.id, false))
      reportState()
      return
    }
    let next = plan.next.wanted
    if feeding != serial { dropUpcoming() }
    grant(nil)
    plan.soundStops()
    plan.isFed()
    // A pause that was to follow the fade takes effect with the seek.
    if plan.fade.purpose == .pause {
      plan.fade = FadeOut()
      act(.run(paused: true, reportsRefusal: false))
    }
    let wasStarved = phase == .buffering
    let target = min(position, track.duration ?? position)
    self[serial]?.state.seek(to: target)
    let beginsAnew = view.mustBeginAnew(for: target)
    if !beginsAnew { act(.seek(to: target), on: serial) }
    if device != nil {
      act(.flush)
      beginSession(forgetFormat: false)
      // It was paused until enough samples had come.
      if wasStarved { act(.run(paused: isPaused, reportsRefusal: true)) }
    }
    self[serial]?.state.begin()
    playback.load()
    plan.server.begin(at: now)
    then(.sought(serial, beginsAnew: beginsAnew, next))
  }

  /// The stream has been told to seek.
  mutating func seekBegan(_ serial: Int, epoch: Int, isAccepted: Bool) {
    self[serial]?.state.seekBegan(epoch)
    if !isAccepted { log(.info, "The stream refused to seek; it plays on where it was.") }
  }

  /// The stream and the device have been told to seek.
  mutating func sought(_ serial: Int, beginsAnew: Bool, _ next: NextTrack?) {
    guard let track = self[serial] else { return }
    if beginsAnew {
      replace(track, uri: track.uri, rawPCM: nil)
    } else {
      grantTurn(to: serial)
    }
    then(.followUp(next))
  }

  /// Reads `track` from the beginning, up to the position that it was to go to.
  mutating func readWithoutRanges(_ serial: Int) {
    self[serial]?.state.refusedRange()
    if let track = self[serial] { replace(track, uri: track.uri, rawPCM: nil) }
  }

  /// Lets `track`, which can't seek there, begin at its start position by skipping everything before it.
  mutating func skipToStartPosition(_ serial: Int) {
    guard let track = self[serial] else { return }
    let now = now
    if track.state.startPosition > 0, track.hasEnd(world.view(serial)) {
      act(.skip(to: track.state.startPosition), on: serial)
      self[serial]?.state.skips(since: now)
    } else {
      // A stream without an end begins where it is now.
      self[serial]?.state.startPosition = 0
    }
    if feeding == serial { grantTurn(to: serial) }
  }

  /// Lets a track begin where it is, if skipping to its start position takes too long.
  mutating func endSlowSkip(_ track: TrackRecord) {
    guard let begun = track.state.skipBegan, let reached = world.view(track.serial)?.reached,
      SkipPace.isTooSlow(reached: reached, wanted: track.state.startPosition, passed: now.since(begun))
    else { return }
    log(
      .info,
      "\(track.name) comes too slowly to go on where it was; it plays from \(reached / 1_000_000_000) s.")
    self[track.serial]?.state.endSkip(at: reached)
    act(.skip(to: reached), on: track.serial)
  }
}
