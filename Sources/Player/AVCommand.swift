/// A command of UPnP AV control points (AVTransport:1) to what the UPnP AV device shows: the cast, or another source.
public enum AVCommand: Sendable, Hashable {
  /// Replaces the cast's media; nil clears it.
  ///
  /// Never starts, stops or pauses: a playing cast continues with the new media, and another source plays on
  /// until `play`. Clears the next media. Throws `resourceNotFound`, `illegalMIMEType`.
  case setMedia(Media?)
  /// Replaces the media that follows the cast's; nil clears it.
  ///
  /// Throws `transitionNotAvailable` unless the device shows a cast, `resourceNotFound`, `illegalMIMEType`.
  case setNextMedia(Media?)
  /// Plays; makes UPnP AV the active source if the device shows a cast. Throws `transitionNotAvailable`
  /// without media.
  case play
  /// Pauses. Throws `transitionNotAvailable` when stopped or without media, and for another source's live
  /// stream.
  case pause
  /// Stops, and keeps the next media. Throws `transitionNotAvailable` without media.
  case stop
  /// Seeks to a position in the current track; when stopped, the next Play begins there.
  ///
  /// Throws `transitionNotAvailable`, `illegalSeekTarget`.
  case seek(to: Duration)
  /// Goes to the start of a track of the container, counted from 1. Throws like `seek`.
  case seekTrack(Int)
  /// Plays the next track. Throws `transitionNotAvailable` without media, `illegalSeekTarget` when nothing
  /// follows.
  case next
  /// Plays the previous track. Throws `transitionNotAvailable` without media, `illegalSeekTarget` when there
  /// is none.
  case previous
  case setPlayMode(PlayMode)
}
