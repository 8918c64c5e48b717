/// What UPnP AVTransport:1 calls TransportState; the values that a renderer without recording has.
public enum AVTransportState: Sendable, Hashable, CaseIterable {
  case noMediaPresent
  case stopped
  case transitioning
  case playing
  case pausedPlayback
}

/// What can be offered as a button (UPnP AVTransport:1, CurrentTransportActions).
public enum TransportAction: Sendable, Hashable, CaseIterable {
  case play, pause, stop, seek, next, previous
}

extension PlayerState {
  public var avTransportState: AVTransportState {
    guard !av.isEmpty else { return .noMediaPresent }
    switch transport(of: .upnpAV) {
    case .stopped: return .stopped
    case .playing: return .playing
    case .paused, .resolving(.cued), .loading(_, .cued), .buffering(_, .cued): return .pausedPlayback
    case .resolving, .loading, .buffering, .reconnecting: return .transitioning
    }
  }

  /// The actions that would be accepted now and would change something. An action that isn't in here is either
  /// refused or does nothing.
  public var availableActions: Set<TransportAction> {
    guard !av.isEmpty else { return [] }
    var actions: Set<TransportAction> = []
    switch transport(of: .upnpAV).continuation {
    case nil: actions = [.play]
    case .playing: actions = [.pause, .stop]
    case .paused, .cued: actions = [.play, .stop]
    }
    if activeSource == .upnpAV, isSeekable { actions.insert(.seek) }
    if av.successor() != nil { actions.insert(.next) }
    if av.predecessor() != nil { actions.insert(.previous) }
    return actions
  }

  /// False only when it is known that the current track can't be sought in.
  var isSeekable: Bool { facts.isSeekable != false }
}
