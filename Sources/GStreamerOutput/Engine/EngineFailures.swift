import CGStreamer
import Player

/// Tracks that fail, and what is reported of them.
extension Engine {
  /// Handles an error of `track`'s own pipeline.
  func trackFailed(_ track: Track, _ failure: PlaybackFailure) {
    // The first failure caused the others.
    let failure = track.state.failure ?? failure
    if track === heard {
      let ended = endedBefore
      fail(track, failure)
      dropTracks()
      if let ended { emit(.ended(ended)) }
      becomeIdle()
    } else if track === prepared {
      dropPrepared()
    } else if track === upcoming {
      if feeding === track, track.state.joint != nil {
        // Some of it is on its way to be heard: play that much.
        track.state.breaksOff(failure)
        track.feed.flush()
        track.state.finished()
        decide()
        return
      }
      nextFailed(track, failure)
    }
  }

  /// Reports that `track` failed, and how far it got.
  func fail(_ track: Track, _ failure: PlaybackFailure) {
    var failure = failure
    if failure.kind != .device {
      failure.reached = position(of: track)
      failure.isAnswered =
        (200..<400).contains(track.information.httpStatus) && !track.listeners.parts.awaitsAnswer
    }
    interrupted = failure.mayPass ? track.media : nil
    fail(track.id, failure)
  }

  func fail(_ id: PlayID, _ failure: PlaybackFailure) {
    // The player retries after failures that may pass, and logs when that begins and ends.
    logger.log(level: failure.mayPass ? .debug : .warning, "\(failure.message)", metadata: ["play": "\(id)"])
    emit(.failed(id, failure))
  }
}
