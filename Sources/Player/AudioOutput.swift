/// The seam between the player and whatever makes sound.
///
/// Requests are data, submitted in order and never blocking the caller; what happens comes back as
/// ``OutputEvent`` values through the handler that the output was made with, on a thread of the output's choice.
public protocol AudioOutput: Sendable {
  /// Queues `request` behind all earlier ones and returns at once.
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

/// What the player wants of the output.
public enum OutputRequest: Sendable, Hashable {
  /// `media` will probably be started soon: do in advance what takes time and what nobody else notices. It reaches for
  /// no server and no device, tells nothing, and must not be kept for long.
  case prepare(Media)
  /// Drop whatever plays and load `media`; begin at `position`; stay silent at that position when `paused`.
  /// Clears the next track.
  case start(PlayID, Media, position: Duration, paused: Bool)
  /// Be silent. While the track still loads: be silent as soon as it is there, and report `paused` then.
  case pause(PlayID)
  /// Play again. While the track still loads after `start` with `paused` or after `pause`: don't be silent after all.
  case resume(PlayID)
  /// Stop at once and forget the next track. The device is released after the configured time.
  case stop
  case seek(PlayID, Duration)
  /// Replace (or with nil clear) the track that follows the current one. When it is too late for that, the earlier
  /// one is reported as `started` all the same, and the player corrects it.
  case setNext(NextTrack?)
  /// Linear amplitude factors, 0...1, for left and right; (1, 1) leaves samples untouched. Mute is (0, 0).
  case setGain(left: Double, right: Double)
  /// Let go of the sound device now.
  case release
}

/// What the output reports. Everything that belongs to a track names its ``PlayID``.
public enum OutputEvent: Sendable, Hashable {
  /// The first sample of this track is heard: after `start`, or because the track before it ended.
  case started(PlayID)
  /// Sound runs; `position` is what is heard now. Also sent after a seek and after buffering.
  case playing(PlayID, position: Duration)
  /// Silent and ready at `position`.
  case paused(PlayID, position: Duration)
  /// Waiting for data. `playing` or `paused` ends it.
  case buffering(PlayID)
  case duration(PlayID, Duration)
  case seekable(PlayID, Bool)
  case details(PlayID, StreamDetails)
  case tags(PlayID, StreamTags)
  /// The last sample was heard and no next track was there.
  case ended(PlayID)
  /// This track can't be played (any further). When it was the next track, the current one plays on to its end.
  case failed(PlayID, PlaybackFailure)
}
