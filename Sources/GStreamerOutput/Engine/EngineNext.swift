import CGStreamer
import Player

/// The next track, as the ``NextTrackPlan`` says.
extension Engine {
  func setNext(_ next: NextTrack?) {
    guard let heard else { return }
    if let upcoming, upcoming.id == next?.id { return }
    let wasFeeding = upcoming != nil && feeding === upcoming
    // Its samples are queued in the device already, and only a seek back would remove them: it is too late.
    if wasFeeding, !heard.isSeekable {
      plan.next.want(next)
      return
    }
    dropUpcoming()
    plan.next.want(next)
    if wasFeeding {
      // Seek to what is heard now, which drops the samples after it.
      let position = position(of: heard).glibNanoseconds
      performSeek(heard, position)
    }
    scheduleOpening()
  }

  /// Opens the next track or schedules its opening.
  func scheduleOpening() {
    guard plan.next.wanted != nil, upcoming == nil, let heard, heard.state.format != nil else { return }
    let wait = NextTrackPlan.opening(
      duration: heard.duration.map { .nanoseconds(Int64(clamping: $0)) }, position: position(of: heard),
      isComplete: heard.isSourceComplete || heard.state.isFinished)
    if plan.next.schedule(after: wait, isPlaying: phase == .playing, at: .now) { openNext() }
  }

  func openNext() {
    guard upcoming == nil, heard != nil, let next = plan.next.open() else { return }
    do {
      let track = try makeTrack(id: next.id, media: next.media)
      upcoming = track
      track.run()
    } catch {
      plan.next.drop()
      fail(next.id, error)
    }
  }

  /// The next track failed before it was heard. A failure that may pass is retried until the track is due.
  func nextFailed(_ track: Track, _ failure: PlaybackFailure) {
    let fill = timeline.fill
    let isDue = heard?.state.isFinished == true && (fill.isStarved || fill.isEmpty)
    let isFirst = plan.next.isUntried
    let pause = plan.next.failed(track.id, mayPass: failure.mayPass, isDue: isDue, at: .now)
    endUpcoming()
    if let pause {
      let text =
        "The next track can't be opened yet: \(failure.message) Trying again in \(pause.components.seconds) s."
      // Logged once, however often it is retried.
      logger.log(level: isFirst ? .info : .debug, "\(text)")
    } else {
      fail(track.id, failure)
    }
    decide()
  }

  /// Drops the next track; ``feeding`` is the heard one again.
  func dropUpcoming() {
    plan.next.deadline = nil
    if upcoming != nil { plan.next.drop() }
    endUpcoming()
  }

  private func endUpcoming() {
    guard let track = upcoming else { return }
    upcoming = nil
    if feeding === track { feeding = heard }
    plan.joint = nil
    track.dispose()
  }
}
