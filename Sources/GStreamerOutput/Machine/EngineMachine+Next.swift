import Player

/// The next track, as the ``NextTrackPlan`` says.
extension EngineMachine {
  mutating func setNext(_ next: NextTrack?) {
    guard let track = self[heard] else { return }
    if let upcoming = self[upcoming], upcoming.id == next?.id { return }
    let wasFeeding = upcoming != nil && feeding == upcoming
    // Its samples are queued in the device already, and only a seek back would remove them: it is too late.
    if wasFeeding, !track.isSeekable {
      plan.next.want(next)
      return
    }
    dropUpcoming()
    plan.next.want(next)
    if wasFeeding { then(.dropWhatFollows(track.serial)) }
    then(.scheduleOpening)
    // A track that was over waited for the one that is dropped.
    if next == nil { then(.decide) }
  }

  /// Seeks to what is heard now, which drops the samples after it.
  mutating func dropWhatFollows(_ serial: Int) {
    guard let track = self[serial] else { return }
    performSeek(serial, position(of: track).wholeNanoseconds)
  }

  /// Opens the next track or schedules its opening.
  mutating func scheduleOpening() {
    guard plan.next.wanted != nil, upcoming == nil, let track = self[heard], track.state.format != nil else {
      return
    }
    let isComplete = world.view(track.serial)?.isSourceComplete == true
    let wait = NextTrackPlan.opening(
      duration: track.duration.map { .nanoseconds(Int64(clamping: $0)) }, position: position(of: track),
      isComplete: isComplete || track.state.isFinished)
    if plan.next.schedule(after: wait, isPlaying: phase == .playing, at: now) { openNext() }
  }

  mutating func openNext() {
    guard upcoming == nil, heard != nil, let next = plan.next.open() else { return }
    make(id: next.id, media: next.media, for: .next)
  }

  /// The next track failed before it was heard. A failure that may pass is retried until the track is due.
  mutating func nextFailed(_ track: TrackRecord, _ failure: PlaybackFailure) {
    let fill = world.fill
    let isDue = self[heard]?.state.isFinished == true && (fill.isStarved || fill.isEmpty)
    let isFirst = plan.next.isUntried
    let pause = plan.next.failed(track.id, mayPass: failure.mayPass, isDue: isDue, at: now)
    if let pause {
      endUpcoming()
      let text =
        "The next track can't be opened yet: \(failure.message) Trying again in \(pause.components.seconds) s."
      // Logged once, however often it is retried.
      log(isFirst ? .info : .debug, text)
    } else {
      endUpcoming()
      // Nothing of it was heard, so starting it isn't going on with it.
      fail(track.id, failure)
    }
    then(.decide)
  }

  /// Drops the next track; ``feeding`` is the heard one again.
  mutating func dropUpcoming() {
    plan.next.deadline = nil
    if upcoming != nil { plan.next.drop() }
    endUpcoming()
  }

  private mutating func endUpcoming() {
    guard let serial = upcoming else { return }
    upcoming = nil
    if feeding == serial { feeding = heard }
    plan.joint = nil
    dispose(serial)
  }
}
