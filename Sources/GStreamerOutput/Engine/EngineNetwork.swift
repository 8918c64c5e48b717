import CGStreamer
import Player

/// Servers that are slow or silent.
extension Engine {
  /// The device had nothing for a moment while the track hasn't ended.
  func starvationDue() {
    guard phase == .playing, let heard, let device, feeding?.isFinished == false, !isEndSent,
      timeline.monitor.locked({ timeline.isStarved })
    else { return }
    let position = position(of: heard)
    _ = device.run(paused: true)
    phase = .buffering
    lastProgress = .now
    feeding?.starvedProgress = feeding?.progress ?? 0
    alarms.watch = .now + .milliseconds(250)
    logger.info("\(redacted(uri: heard.media.uri)) comes too slowly; waiting at \(position).")
    emit(.buffering(heard.id))
  }

  /// After starvation: goes on when enough has come to last.
  func resumeIfFed() {
    guard phase == .buffering, let track = feeding, let device else { return }
    let (queued, rate) = timeline.monitor.locked { (timeline.queued, timeline.format?.rate ?? 1) }
    let isFull = queued * 5 >= rate * 2
    let came = track.progress - track.starvedProgress
    guard
      track.isFinished
        || (isFull
          && (!track.location.isNetwork || track.isSourceComplete
            || came >= track.bytesToResume(configuration.buffer)))
    else { return }
    phase = .loading
    if !device.run(paused: isPaused) { deviceRefused() }
  }

  func timeOut(_ track: Track) -> PlaybackFailure {
    PlaybackFailure(
      .timedOut,
      "The server of \(redacted(uri: track.media.uri)) sent nothing for \(configuration.networkTimeout).")
  }

  /// Looks at a track that is loading or starved.
  func watchDue(_ now: MonotonicTime) {
    guard let heard, phase == .loading || phase == .buffering else { return }
    let track = heard.isFinished ? upcoming ?? heard : heard
    let progress = track.progress
    if progress != track.lastProgress {
      track.lastProgress = progress
      lastProgress = now
    }
    if phase == .loading, !track.hasReportedWait, !isPaused {
      track.hasReportedWait = true
      emit(.buffering(track.id))
    }
    if timeline.monitor.locked({ timeline.queued > 0 }), phase == .loading {
      // There is enough to hear; it isn't the server that one waits for.
      if now.since(lastProgress) > 5_000_000_000 {
        lastProgress = now
        deviceFailed("it doesn't begin to play")
        return
      }
    } else if !track.isFinished, now.since(lastProgress) > configuration.networkTimeout.wholeNanosecondsWord {
      trackFailed(
        track,
        PlaybackFailure(
          .timedOut,
          "The server of \(redacted(uri: track.media.uri)) sent nothing for \(configuration.networkTimeout).")
      )
      return
    }
    if phase == .buffering { resumeIfFed() }
    alarms.watch = now + .milliseconds(250)
  }
}
