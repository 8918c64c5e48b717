/// What control points ask of whichever source is active (OpenHome Transport:1). All but pause and stop leave standby.
public enum TransportCommand: Sendable, Hashable {
  /// As the active source's Play. Ignored when there is nothing to play.
  case play
  /// As the active source's Pause; stops what can't be paused.
  case pause
  case stop
  /// Throws `notSupported` when the active source has no list to move in.
  case skipNext
  /// Throws `notSupported` when the active source has no list to move in.
  case skipPrevious
  /// Goes to a position and plays. Throws `streamNotCurrent`, `seekFailed`.
  case seek(to: Duration, stream: UInt32)
  /// By so much from the present position, kept within the track. Throws `streamNotCurrent`, `seekFailed`.
  case skip(by: Duration, stream: UInt32)
}
