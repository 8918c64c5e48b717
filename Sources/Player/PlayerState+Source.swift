/// What the transport needs from the active source, whichever it is.
extension PlayerState {
  /// The active source's current track: the one that plays, or would play. For radio this is the chosen
  /// station.
  public var currentTrack: Media? { track(of: activeSource) }

  func track(of source: SourceKind) -> Media? {
    switch source {
    case .playlist: playlist.current
    case .radio: radio.channel
    case .upnpAV: av.track
    }
  }

  /// What the active source has ready for the transport.
  var cue: Cue {
    switch activeSource {
    case .playlist: playlist.cue
    case .radio: radio.cue
    case .upnpAV: av.cue
    }
  }

  /// The contents of the active source's media; nil for a source whose tracks are known from the start.
  var content: AVContent? {
    get {
      switch activeSource {
      case .playlist: nil
      case .radio: radio.content
      case .upnpAV: av.current
      }
    }
    set {
      guard let newValue else { return }
      switch activeSource {
      case .playlist: break
      case .radio: radio.content = newValue
      case .upnpAV: av.current = newValue
      }
    }
  }

  /// The track that should follow the current one without a gap; nil when there is none or it isn't known
  /// yet.
  var follower: Media? {
    guard !hasFailedTooOften else { return nil }
    switch activeSource {
    case .playlist: return playlist.successor().flatMap(playlist.track(at:))
    case .radio: return nil
    case .upnpAV: return av.follower().flatMap(av.track(at:))
    }
  }

  /// Makes sure that ``follower`` is the track that will really follow.
  mutating func prepareFollower() {
    if activeSource == .playlist { playlist.prepareRound(using: &random) }
  }

  var hasFailedTooOften: Bool { failuresInRow >= configuration.maximumFailures }

  /// True when an unplayable track is skipped in favour of the next one.
  var skipsBrokenTracks: Bool {
    switch activeSource {
    case .playlist: true
    case .radio: false
    case .upnpAV: av.current.list?.isContainer == true
    }
  }

  /// Why the follower of the current track was dropped.
  var lookaheadFailure: PlaybackFailure? {
    switch activeSource {
    case .playlist: playlist.lookaheadFailure
    case .radio: nil
    case .upnpAV: av.lookaheadFailure
    }
  }

  /// Makes the follower current; returns false when there is none.
  mutating func advance() -> Bool {
    guard !hasFailedTooOften else { return false }
    switch activeSource {
    case .playlist:
      prepareFollower()
      guard let step = playlist.successor() else { return false }
      playlist.take(step)
      return true
    case .radio: return false
    case .upnpAV:
      guard let step = av.follower() else { return false }
      av.take(step)
      return true
    }
  }

  /// Clears the failures when a track is heard.
  mutating func forgiveFailures() {
    failure = nil
    switch activeSource {
    case .playlist: failuresInRow = playlist.skipped
    case .radio:
      failuresInRow = 0
      radio.link.wasHeard = true
    case .upnpAV: failuresInRow = av.skipped
    }
  }

  /// Skips the follower because it is unplayable.
  mutating func dropFollower(because failure: PlaybackFailure) {
    failuresInRow += 1
    switch activeSource {
    case .playlist: playlist.dropFollower(because: failure)
    case .radio: break
    case .upnpAV: av.dropFollower(because: failure)
    }
  }

  /// Goes to the first track, as after the end of the last one.
  mutating func rewind() {
    switch activeSource {
    case .playlist: playlist.rewind(using: &random)
    case .radio: break
    case .upnpAV: av.rewind()
    }
  }
}
