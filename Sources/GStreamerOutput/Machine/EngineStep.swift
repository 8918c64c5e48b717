import Player

/// What the engine goes on with once the actions before it have been carried out, since it depends on what they led to.
enum EngineStep {
  /// Do what is due of the rest of ``EnginePlan/Due``.
  case due(ArraySlice<EnginePlan.Due>, at: MonotonicTime)
  /// A track that was started has been given to the device.
  case begun(Int)
  /// The device has been told to run for a track.
  case sessionRuns(Int)
  /// The device that the previous sound left has been given to a track.
  case sessionFollows(Int)
  /// The device has been tried again for a track. The other track is to follow it.
  case retried(Int, NextTrack?)
  /// A device that is missing is tried again from time to time, if nobody would tell that it is there.
  case retryUnwatched
  /// The device is silent.
  case tellPaused(Int)
  /// The sound has faded out, and a track goes on at this position.
  case seekFaded(Int, UInt)
  /// A track and the device have been told to seek.
  case sought(Int, beginsAnew: Bool, NextTrack?)
  /// What followed a track is to follow it again, unless something does.
  case followUp(NextTrack?)
  /// Drop the samples after those that are heard.
  case dropWhatFollows(Int)
  case scheduleOpening
  /// A track is heard without a gap after the one before it.
  case advanced(Int)
  /// The device has nothing left, and the track that is heard is known.
  case playedOut
  case decide
  /// As `decide`, after the next track has been opened, or couldn't be.
  case succeed
  case resumeIfFed
  case startStarvation
  /// The first samples are heard, and maybe all of them already.
  case lookForStarvation
  /// What is known of the end of a track's file has changed.
  case readingChanged(Int)
  /// It is known whether a certificate was the reason of an error.
  case judge(Int, ErrorReport)
}
