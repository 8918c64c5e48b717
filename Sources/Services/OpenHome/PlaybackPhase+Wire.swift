import Player

extension Playlist1.TransportState {
  init(_ phase: PlaybackPhase) {
    self =
      switch phase {
      case .stopped: .stopped
      case .buffering: .buffering
      case .playing: .playing
      case .paused: .paused
      }
  }
}

extension Radio2.TransportState {
  init(_ phase: PlaybackPhase) {
    self =
      switch phase {
      case .stopped: .stopped
      case .buffering: .buffering
      case .playing: .playing
      case .paused: .paused
      }
  }
}

extension Transport1.TransportState {
  init(_ phase: PlaybackPhase) {
    self =
      switch phase {
      case .stopped: .stopped
      case .buffering: .buffering
      case .playing: .playing
      case .paused: .paused
      }
  }
}
