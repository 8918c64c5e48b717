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
  /// The sender of this stream plays another track: its address and metadata. Only for streams of other rooms.
  case streamTrack(PlayID, Media)
  /// What a live stream of another room says that it plays, as DIDL-Lite; empty for nothing.
  case streamText(PlayID, String)
  /// The last sample was played and there was no next track.
  case ended(PlayID)
  /// This track can't be played, or can't be played any further. When it was the next track, the current one
  /// plays on to its end.
  case failed(PlayID, PlaybackFailure)
  /// The sound device was opened, lost, found or released, or its sound path changed.
  case device(DeviceReport)
}

extension OutputEvent {
  /// The playback attempt of the event; nil for device events.
  public var playID: PlayID? {
    switch self {
    case .device: nil
    case .started(let id), .playing(let id, _), .paused(let id, _), .buffering(let id), .duration(let id, _),
      .seekable(let id, _), .details(let id, _), .tags(let id, _), .streamTrack(let id, _),
      .streamText(let id, _),
      .ended(let id), .failed(let id, _):
      id
    }
  }
}
