/// Which source's track the UPnP AV device shows.
///
/// The device is a view of the player, as the OpenHome device is: a control point should be able to show and
/// stop whatever plays, no matter what started it.
enum AVFocus: Sendable, Equatable {
  /// The cast, from the moment that it was set: it plays, or waits for Play.
  case cast
  /// Another source while it plays; nothing while it is silent. If it were shown as stopped, a control point
  /// whose cast is over would take that for the end of its own track and go on to the next.
  case others
  /// Another source, which an AV control point has stopped: that control point waits for STOPPED, and may
  /// send Play.
  case stoppedOthers
}

extension PlayerState {
  /// The source that the UPnP AV device shows and controls; nil when it shows no media.
  public var avShown: SourceKind? {
    switch avFocus {
    case .cast: av.isEmpty ? nil : .upnpAV
    case .others: activeSource == .upnpAV || transport == .stopped ? nil : activeSource
    case .stoppedOthers: activeSource == .upnpAV || currentTrack == nil ? nil : activeSource
    }
  }

  /// The source to which Play of the UPnP AV device applies; nil when there is nothing to play. A cast that
  /// waits for its first Play keeps it even if another source has started since, and one that standby has
  /// stopped can be resumed although the device shows no media.
  var avPlayed: SourceKind? {
    guard let shown = avShown else {
      return !av.isEmpty && (av.isAwaited || activeSource == .upnpAV) ? .upnpAV : nil
    }
    return av.isAwaited && transport(of: shown).continuation == .playing ? .upnpAV : shown
  }

  /// The cast media, or the track of another source.
  public var avMedia: Media? { avShown == .upnpAV ? av.media : avTrack }
  public var avTrack: Media? { avShown.flatMap(track(of:)) }
  /// The media set to follow a cast; nil for another source.
  public var avNextMedia: Media? { avShown == .upnpAV ? av.nextMedia : nil }
  public var avNumberOfTracks: Int { avShown.map { $0 == .upnpAV ? av.numberOfTracks : 1 } ?? 0 }
  public var avTrackNumber: Int { avShown.map { $0 == .upnpAV ? av.trackNumber : 1 } ?? 0 }
  public var avTags: StreamTags? { avShown.flatMap { facts(of: $0).tags } }
  public var avMetatext: StreamTags? { avShown.flatMap(metatext(of:)) }
  public var avDuration: Duration? { avShown.flatMap(duration(of:)) }
  public var avFailure: PlaybackFailure? {
    avShown.flatMap { $0 == activeSource ? failure : av.rest.failure }
  }

  public func avPosition(at now: PlayerInstant) -> Duration {
    switch avShown {
    case nil: return .zero
    case activeSource: return position(at: now)
    case .some:
      let position = av.rest.position
      return avDuration.map { min(position, $0) } ?? position
    }
  }

  // MARK: Facts of a source's track

  func facts(of source: SourceKind) -> TrackFacts {
    if source == activeSource { return facts }
    return source == .upnpAV ? av.rest.facts : TrackFacts()
  }

  func duration(of source: SourceKind) -> Duration? {
    facts(of: source).duration ?? track(of: source)?.durationHint.flatMap { $0 > .zero ? $0 : nil }
  }

  /// True for a live stream, which can't be paused without losing the connection. A station counts as one
  /// until proved otherwise, any other source only when it is known to be one.
  func isLive(_ source: SourceKind) -> Bool {
    if ask(source, { $0.isAlwaysLive }) { return true }
    let facts = facts(of: source)
    guard !ask(source, { $0.playsStations }) else {
      return facts.isSeekable != true || duration(of: source) == nil
    }
    return facts.isSeekable == false && track(of: source).map { !facts.showEnd(of: $0) } ?? true
  }

  /// What a live stream says is playing: its ``StreamTags/song``, always with a title. Nil for files, whose
  /// tags say no more than the metadata.
  func metatext(of source: SourceKind) -> StreamTags? {
    isLive(source) ? facts(of: source).tags?.song : nil
  }

  /// False when it is known that a seek to `position` would fail.
  func canReach(_ position: Duration, in source: SourceKind) -> Bool {
    facts(of: source).isSeekable != false && !(ask(source) { $0.playsStations } && isLive(source))
      && (.zero...(duration(of: source) ?? Self.furthestSeek)).contains(position)
  }
}
