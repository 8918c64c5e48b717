/// A command to the active source (OpenHome Transport:1). All except pause and stop leave standby.
public enum TransportCommand: Sendable, Hashable {
  /// As the active source's Play, or radio's when a station was chosen since. Ignored when there is nothing
  /// to play.
  case play
  /// As the active source's Pause; stops a live stream, which can't be paused.
  case pause
  case stop
  /// Throws `notSupported` when the active source has no list.
  case skipNext
  /// Throws `notSupported` when the active source has no list.
  case skipPrevious
  /// Seeks to a position and plays. Throws `streamNotCurrent`, `seekFailed`.
  case seek(to: Duration, stream: UInt32)
  /// Goes to a position in the current track; a stopped or paused transport stays stopped or paused. Throws `seekFailed`.
  case go(to: Duration)
  /// Seeks relative to the current position, kept within the track, and plays. Throws `streamNotCurrent`,
  /// `seekFailed`.
  case skip(by: Duration, stream: UInt32)
}
