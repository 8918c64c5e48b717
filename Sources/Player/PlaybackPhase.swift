/// What a source does, in OpenHome's words (Playlist:1, Radio:2 and Transport:1, TransportState).
public enum PlaybackPhase: Sendable, Hashable, CaseIterable {
  case stopped
  /// On the way to sound, or waiting for data.
  case buffering
  case playing
  case paused
}

extension PlayerState {
  /// What `source` shows: one that isn't active is stopped.
  public func phase(of source: SourceKind) -> PlaybackPhase {
    switch transport(of: source) {
    case .stopped: .stopped
    case .playing: .playing
    case .paused, .resolving(.cued), .loading(_, .cued), .buffering(_, .cued): .paused
    case .resolving, .loading, .buffering, .reconnecting: .buffering
    }
  }

  /// What the active source shows.
  public var phase: PlaybackPhase { phase(of: activeSource) }

  /// True for a stream without an end, which can't be paused without losing the connection. A station counts as one
  /// until it is known better, everything else only when it is known.
  public var isLive: Bool {
    switch activeSource {
    case .radio: facts.isSeekable != true || duration == nil
    case .playlist, .upnpAV: facts.isSeekable == false && duration == nil
    }
  }

  /// What the present stream allows; false while there is none (OpenHome Transport:1, StreamInfo).
  public var canSeek: Bool { transport.playID != nil && facts.isSeekable == true }
  public var canPause: Bool { transport.playID != nil && (activeSource == .upnpAV || !isLive) }

  /// What the active source allows (OpenHome Transport:1, ModeInfo).
  public var canSkipNext: Bool {
    switch activeSource {
    case .playlist: !playlist.isEmpty
    case .radio: false
    case .upnpAV: av.successor() != nil
    }
  }

  public var canSkipPrevious: Bool {
    switch activeSource {
    case .playlist: !playlist.isEmpty
    case .radio: false
    case .upnpAV: av.predecessor() != nil
    }
  }

  public var canRepeat: Bool { activeSource == .playlist }
  public var canShuffle: Bool { activeSource == .playlist }
}
