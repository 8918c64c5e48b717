/// The output's findings about one track. Everything is unknown until it is reported.
public struct TrackFacts: Sendable, Hashable {
  /// Duration according to the decoder.
  public var duration: Duration?
  /// Nil while unknown.
  public var isSeekable: Bool?
  public var details: StreamDetails?
  public var tags: StreamTags?

  public init(
    duration: Duration? = nil, isSeekable: Bool? = nil, details: StreamDetails? = nil,
    tags: StreamTags? = nil
  ) {
    self.duration = duration
    self.isSeekable = isSeekable
    self.details = details
    self.tags = tags
  }

  /// The facts when the same track plays again: what isn't reported yet stays as it was, except for the tags.
  func completed(by earlier: TrackFacts) -> TrackFacts {
    TrackFacts(
      duration: duration ?? earlier.duration, isSeekable: isSeekable ?? earlier.isSeekable,
      details: details ?? earlier.details, tags: tags)
  }

  /// Whether a stream of `media`, which they are about, ends by itself.
  func showEnd(of media: Media) -> Bool {
    media.hasEnd(
      duration: duration, isPromised: details?.hasEnd == true, isStation: details?.isStation == true)
  }

  /// Updates the facts from `event`; returns false when it isn't about the track itself.
  mutating func learn(from event: OutputEvent) -> Bool {
    switch event {
    case .duration(_, let value): duration = value > .zero ? value : nil
    case .seekable(_, let value): isSeekable = value
    case .details(_, let value): details = value
    case .tags(_, let value): tags = value
    case .started, .playing, .paused, .buffering, .streamTrack, .streamText, .ended, .failed, .device:
      return false
    }
    return true
  }
}
