import CGStreamer
import Player

/// The next track: known long before, opened shortly before it is due.
///
/// A connection that is opened a whole track ahead would be idle for minutes, and often dead by then.
extension Engine {
  /// How long before it is due the next track is opened.
  static let openedAhead = Duration.seconds(30)

  func setNext(_ next: NextTrack?) {
    guard let heard else { return }
    if let upcoming, upcoming.id == next?.id { return }
    let wasFeeding = upcoming != nil && feeding === upcoming
    // Its samples are queued in the device already, and only a seek back would remove them: it is too late.
    if wasFeeding, !heard.isSeekable {
      nextWanted = next
      return
    }
    dropUpcoming()
    nextWanted = next
    if wasFeeding {
      // Seek to what is heard now, which drops the samples after it.
      let position = position(of: heard).glibNanoseconds
      performSeek(heard, position)
    }
    scheduleOpening()
  }

  /// Opens the next track or schedules its opening.
  func scheduleOpening() {
    guard nextWanted != nil, upcoming == nil, let heard, heard.format != nil else { return }
    deadlines.opening = nil
    let wait = Self.opening(
      duration: heard.duration.map { .nanoseconds(Int64(clamping: $0)) }, position: position(of: heard),
      isComplete: heard.isSourceComplete || heard.isFinished)
    guard let wait else { return openNext() }
    // Nothing is due while it is silent; resuming schedules it again.
    if phase == .playing { deadlines.opening = .now + wait }
  }

  /// How long until the next track is to be opened; nil: now.
  ///
  /// - Parameter isComplete: whether all of the heard track has come, whatever its stated duration.
  static func opening(duration: Duration?, position: Duration, isComplete: Bool) -> Duration? {
    guard let duration, !isComplete else { return nil }
    let wait = duration - position - openedAhead
    return wait > .zero ? wait : nil
  }

  func openNext() {
    guard let next = nextWanted, upcoming == nil, heard != nil else { return }
    deadlines.opening = nil
    do {
      let track = try makeTrack(id: next.id, media: next.media)
      upcoming = track
      track.run()
    } catch {
      nextWanted = nil
      fail(next.id, error)
    }
  }

  /// The next track failed before it was heard. A failure that may pass is retried until the track is due.
  func nextFailed(_ track: Track, _ failure: PlaybackFailure) {
    let (next, failures) = (nextWanted, nextFailures)
    dropUpcoming()
    let fill = timeline.fill
    let isDue = heard?.isFinished == true && (fill.isStarved || fill.isEmpty)
    if failure.mayPass, !isDue, next?.id == track.id {
      nextWanted = next
      nextFailures = failures + 1
      let pause = BackOff.pause(after: failures, most: BackOff.longestForTracks)
      deadlines.opening = .now + pause
      let text =
        "The next track can't be opened yet: \(failure.message) Trying again in \(pause.components.seconds) s."
      // Logged once, however often it is retried.
      logger.log(level: failures == 0 ? .info : .debug, "\(text)")
    } else {
      fail(track.id, failure)
    }
    decide()
  }

  /// Drops the next track; ``feeding`` is the heard one again.
  func dropUpcoming() {
    deadlines.opening = nil
    guard let track = upcoming else { return }
    upcoming = nil
    nextWanted = nil
    if feeding === track { feeding = heard }
    deadlines.joint = nil
    track.dispose()
  }
}
