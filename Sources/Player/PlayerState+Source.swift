/// All that the transport asks of the active source, whichever it is.
extension PlayerState {
  /// The active source's current track: what plays, or would play.
  public var currentTrack: Media? {
    switch activeSource {
    case .upnpAV: av.track
    }
  }

  /// What the active source has for the transport.
  var cue: Cue {
    switch activeSource {
    case .upnpAV: av.cue
    }
  }

  /// The track that should follow the current one without a gap; nil when none does or it isn't known yet.
  var follower: Media? {
    guard !hasFailedTooOften else { return nil }
    switch activeSource {
    case .upnpAV: return av.follower().flatMap(av.track(at:))
    }
  }

  var hasFailedTooOften: Bool { failuresInRow >= configuration.maximumFailures }

  /// True when a track that doesn't play gives way to the one behind it.
  var skipsBrokenTracks: Bool {
    switch activeSource {
    case .upnpAV: av.current.list?.isContainer == true
    }
  }

  /// Why what should have followed the current track was dropped.
  var lookaheadFailure: PlaybackFailure? {
    switch activeSource {
    case .upnpAV: av.lookaheadFailure
    }
  }

  /// Makes what follows the current track; false when nothing does.
  mutating func advance() -> Bool {
    guard !hasFailedTooOften else { return false }
    switch activeSource {
    case .upnpAV:
      guard let step = av.follower() else { return false }
      av.take(step)
      return true
    }
  }

  /// A track was heard: that makes good for those before it that failed.
  mutating func forgiveFailures() {
    failure = nil
    switch activeSource {
    case .upnpAV: failuresInRow = av.skipped
    }
  }

  /// What was to follow doesn't play.
  mutating func dropFollower(because failure: PlaybackFailure) {
    failuresInRow += 1
    switch activeSource {
    case .upnpAV: av.dropFollower(because: failure)
    }
  }

  /// Back to the first track, as it is after the last one has ended.
  mutating func rewind() {
    switch activeSource {
    case .upnpAV: av.rewind()
    }
  }
}
