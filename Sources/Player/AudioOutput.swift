/// The interface between the player and the sound output.
///
/// Requests are data, submitted in order without blocking the caller. The output reports what happens as
/// ``OutputEvent`` values, through the handler that it was created with, on a thread of its choice.
public protocol AudioOutput: Sendable {
  /// Queues `request` after all earlier ones and returns at once.
  func submit(_ request: OutputRequest)
}

/// The track that follows the current one without a gap.
public struct NextTrack: Sendable, Hashable {
  public var id: PlayID
  public var media: Media

  public init(id: PlayID, media: Media) {
    self.id = id
    self.media = media
  }
}

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

/// An event from the output. Every event about a track carries its ``PlayID``; only `device` has none.
public enum OutputEvent: Sendable, Hashable {
  /// The first sample of this track plays, either after `start` or because the track before it ended.
  case started(PlayID)
  /// Sound plays; `position` is what the listener hears now. Also sent after a seek and after buffering.
  case playing(PlayID, position: Duration)
  /// Silent and ready at `position`.
  case paused(PlayID, position: Duration)
  /// Waiting for data. `playing` or `paused` ends it.
  case buffering(PlayID)
  case duration(PlayID, Duration)
  case seekable(PlayID, Bool)
  case details(PlayID, StreamDetails)
  case tags(PlayID, StreamTags)
  /// The last sample was played and there was no next track.
  case ended(PlayID)
  /// This track can't be played, or can't be played any further. When it was the next track, the current one
  /// plays on to its end.
  case failed(PlayID, PlaybackFailure)
  /// The sound device was opened, lost, found or released, or its sound path changed.
  case device(DeviceReport)
}
