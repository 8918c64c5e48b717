/// UPnP AVTransport:1, TransportState: the values of a renderer without recording.
public enum AVTransportState: Sendable, Hashable, CaseIterable {
  case noMediaPresent
  case stopped
  case transitioning
  case playing
  case pausedPlayback
}

extension PlayerState {
  public var avTransportState: AVTransportState {
    guard let source = avShown else { return .noMediaPresent }
    switch transport(of: source) {
    case .stopped: return .stopped
    case .playing: return .playing
    case .paused, .suspended, .resolving(.cued), .loading(_, .cued), .buffering(_, .cued):
      return .pausedPlayback
    case .resolving, .loading, .buffering, .reconnecting: return .transitioning
    }
  }

  /// The actions that would be accepted now and would have an effect. Any other action is refused or does
  /// nothing.
  public var availableActions: Set<TransportAction> {
    guard let source = avShown else { return avPlayed == nil ? [] : [.play] }
    var actions: Set<TransportAction> = []
    switch transport(of: source).continuation {
    // Stop ends what plays while a cast waits for Play.
    case nil: actions = transport == .stopped ? [.play] : [.play, .stop]
    case .playing:
      actions = canBeHeld(source) ? [.pause, .stop] : [.stop]
      if avPlayed != source { actions.insert(.play) }
    case .paused, .cued: actions = [.play, .stop]
    }
    if canReach(.zero, in: source) { actions.insert(.seek) }
    if hasTrack(.ahead, of: source) { actions.insert(.next) }
    if hasTrack(.back, of: source) { actions.insert(.previous) }
    if source == .upnpAV, av.numberOfTracks > 1 { actions.insert(.seekTrack) }
    return actions
  }
}
