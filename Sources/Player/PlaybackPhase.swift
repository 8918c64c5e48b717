/// The state of a source in OpenHome's terms (Playlist:1, Radio:2 and Transport:1, TransportState).
public enum PlaybackPhase: Sendable, Hashable, CaseIterable {
  case stopped
  /// Loading, or waiting for data.
  case buffering
  case playing
  case paused
}

extension PlayerState {
  /// The phase that `source` shows; stopped unless it is active.
  public func phase(of source: SourceKind) -> PlaybackPhase {
    switch transport(of: source) {
    case .stopped: .stopped
    case .playing: .playing
    case .paused, .suspended, .resolving(.cued), .loading(_, .cued), .buffering(_, .cued): .paused
    case .resolving, .loading, .buffering, .reconnecting: .buffering
    }
  }

  /// The phase that the active source shows.
  public var phase: PlaybackPhase { phase(of: activeSource) }

  /// Whether the active source's track is a live stream.
  public var isLive: Bool { isLive(activeSource) }

  /// Whether the current stream is seekable; false while there is none (OpenHome Transport:1, StreamInfo).
  public var canSeek: Bool { transport.hasStream && facts.isSeekable == true }
  /// Whether the current stream can be paused; false while there is none.
  public var canPause: Bool { transport.hasStream && canBeHeld(activeSource) }

  /// Whether the active source supports Next (OpenHome Transport:1, ModeInfo).
  public var canSkipNext: Bool { ask(activeSource) { $0.canSkip(.ahead) } }
  /// Whether the active source supports Previous.
  public var canSkipPrevious: Bool { ask(activeSource) { $0.canSkip(.back) } }
  /// Whether the active source supports repeating.
  public var canRepeat: Bool { ask(activeSource) { $0.canRepeat } }
  /// Whether the active source supports shuffling.
  public var canShuffle: Bool { ask(activeSource) { $0.canShuffle } }
}
