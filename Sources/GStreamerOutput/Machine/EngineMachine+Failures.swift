import Player

/// Tracks that fail, and what is reported of them.
extension EngineMachine {
  /// Handles an error of `track`'s own pipeline.
  mutating func trackFailed(_ track: TrackRecord, _ failure: PlaybackFailure) {
    let serial = track.serial
    // The first failure caused the others.
    let failure = track.state.failure ?? failure
    if serial == heard {
      let ended = unreportedEnd
      fail(track, failure)
      dropTracks()
      if let ended { emit(.ended(ended)) }
      becomeIdle()
    } else if serial == prepared {
      dropPrepared()
    } else if serial == upcoming {
      if feeding == serial, track.state.joint != nil {
        // Some of it is on its way to be heard: play that much.
        self[serial]?.state.breaksOff(failure)
        act(.flush, on: serial)
        self[serial]?.state.finished()
        then(.decide)
        return
      }
      nextFailed(track, failure)
    }
  }

  /// Reports that `track` failed, and how far it got.
  mutating func fail(_ track: TrackRecord, _ failure: PlaybackFailure) {
    var failure = failure
    if failure.kind != .device {
      failure.reached = position(of: track)
      failure.isAnswered =
        (200..<400).contains(track.information.httpStatus)
        && world.view(track.serial)?.awaitsAnswer != true
    }
    interruptedMedia = failure.mayPass ? track.media : nil
    fail(track.id, failure)
  }

  mutating func fail(_ id: PlayID, _ failure: PlaybackFailure) {
    // The player retries after failures that may pass, and logs when that begins and ends.
    log(failure.mayPass ? .debug : .warning, "\(failure.message)", play: id)
    emit(.failed(id, failure))
  }
}
