/// What the output found out about one track. Everything is unknown until it is reported.
public struct TrackFacts: Sendable, Hashable {
  /// Length of the track as the decoder sees it.
  public var duration: Duration?
  /// Nil while nobody knows.
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

  /// What is known when the same track plays again: what isn't reported yet is as it was, except for the tags.
  func completed(by earlier: TrackFacts) -> TrackFacts {
    TrackFacts(
      duration: duration ?? earlier.duration, isSeekable: isSeekable ?? earlier.isSeekable,
      details: details ?? earlier.details, tags: tags)
  }

  /// Takes over what `event` says; false when it says nothing about the track itself.
  mutating func learn(from event: OutputEvent) -> Bool {
    switch event {
    case .duration(_, let value): duration = value > .zero ? value : nil
    case .seekable(_, let value): isSeekable = value
    case .details(_, let value): details = value
    case .tags(_, let value): tags = value
    case .started, .playing, .paused, .buffering, .ended, .failed: return false
    }
    return true
  }
}
