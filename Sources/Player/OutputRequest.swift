/// A request from the player to the output.
public enum OutputRequest: Sendable, Hashable {
  /// `media` will probably start soon: do the slow and inaudible work in advance. The output may read the
  /// beginning of the stream, but not often. It must not open the device or report events, and must not keep
  /// the result for long.
  case prepare(Media)
  /// Discard whatever plays and load `media`. Begin at `position`; stay silent there when `paused`. Clears
  /// the next track.
  case start(PlayID, Media, position: Duration, paused: Bool)
  /// Pause. While the track is still loading: load it, stay silent, and report `paused` then.
  case pause(PlayID)
  /// Resume. While the track is still loading, after `start` with `paused` or after `pause`: cancel the
  /// pause.
  case resume(PlayID)
  /// Stop at once and clear the next track. The device is released after the configured time.
  case stop
  case seek(PlayID, Duration)
  /// Replace the track that follows the current one; nil clears it. When this comes too late, the output
  /// still reports the earlier one as `started`, and the player corrects it.
  case setNext(NextTrack?)
  /// Linear gains, 0...1, for left and right. (1, 1) leaves samples untouched; mute is (0, 0).
  case setGain(left: Double, right: Double)
  /// Release the sound device now.
  case release
}
