/// All that the transport asks of the active source, whichever it is.
extension PlayerState {
  /// The active source's current track: what plays, or would play. Of radio this is the station as it was chosen.
  public var currentTrack: Media? {
    switch activeSource {
    case .playlist: playlist.current
    case .radio: radio.channel
    case .upnpAV: av.track
    }
  }

  /// What the active source has for the transport.
  var cue: Cue {
    switch activeSource {
    case .playlist: playlist.cue
    case .radio: radio.cue
    case .upnpAV: av.cue
    }
  }

  /// What is behind the active source's media; nil for a source whose tracks are known from the start.
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

  /// The track that should follow the current one without a gap; nil when none does or it isn't known yet.
  var follower: Media? {
    guard !hasFailedTooOften else { return nil }
    switch activeSource {
    case .playlist: return playlist.successor().flatMap(playlist.track(at:))
    case .radio: return nil
    case .upnpAV: return av.follower().flatMap(av.track(at:))
    }
  }

  var hasFailedTooOften: Bool { failuresInRow >= configuration.maximumFailures }

  /// True when a track that doesn't play gives way to the one behind it.
  var skipsBrokenTracks: Bool {
    switch activeSource {
    case .playlist: true
    case .radio: false
    case .upnpAV: av.current.list?.isContainer == true
    }
  }

  /// Why what should have followed the current track was dropped.
  var lookaheadFailure: PlaybackFailure? {
    switch activeSource {
    case .playlist: playlist.lookaheadFailure
    case .radio: nil
    case .upnpAV: av.lookaheadFailure
    }
  }

  /// Makes what follows the current track; false when nothing does.
  mutating func advance() -> Bool {
    guard !hasFailedTooOften else { return false }
    switch activeSource {
    case .playlist:
      playlist.prepareRound(using: &random)
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

  /// A track was heard: that makes good for those before it that failed.
  mutating func forgiveFailures() {
    failure = nil
    switch activeSource {
    case .playlist: failuresInRow = playlist.skipped
    case .radio:
      failuresInRow = 0
      radio.link = RadioLink(wasHeard: true)
    case .upnpAV: failuresInRow = av.skipped
    }
  }

  /// What was to follow doesn't play.
  mutating func dropFollower(because failure: PlaybackFailure) {
    failuresInRow += 1
    switch activeSource {
    case .playlist: playlist.dropFollower(because: failure)
    case .radio: break
    case .upnpAV: av.dropFollower(because: failure)
    }
  }

  /// Back to the first track, as it is after the last one has ended.
  mutating func rewind() {
    switch activeSource {
    case .playlist: playlist.rewind(using: &random)
    case .radio: break
    case .upnpAV: av.rewind()
    }
  }
}
