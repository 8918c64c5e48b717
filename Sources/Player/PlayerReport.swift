import Pins

/// An event for the log.
public enum PlayerReport: Sendable, Hashable {
  /// The first sample of the track plays; `gapless` when it followed the previous track without a gap.
  case started(Media, gapless: Bool)
  /// The last track has ended and nothing follows.
  case finished(Media)
  /// The track can't be played; playback has stopped.
  case failed(Media, PlaybackFailure)
  /// The track can't be played; another one is tried instead, or it was only the next track.
  case skipped(Media, PlaybackFailure)
  /// Playback has stopped because so many tracks in a row can't be played, although others follow.
  case gaveUp(tracks: Int)
  /// A container was read. `dropped` counts entries that the URI policy refused or that exceeded the limit.
  case opened(Media, tracks: Int, dropped: Int)
  /// The stream was interrupted, or couldn't be reopened. The next attempt, counted from 1, follows after
  /// this time.
  case lost(Media, PlaybackFailure, attempt: Int, after: Duration)
  /// A pin can't be played; what played before plays on.
  case pinFailed(Pin, PlaybackFailure)
  /// A volume above the limit was requested.
  case volumeLimited(requested: Int, limit: Int)
}
