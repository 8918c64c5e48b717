/// What UPnP AV control points ask of their source.
extension Turn {
  // MARK: Media

  /// Setting media never starts, stops or pauses by itself, so what plays goes on playing, with the new media: a
  /// control point that casts a second track expects to hear that one. Clearing takes nothing from another source.
  mutating func setAVURI(_ media: Media?) throws(PlayerError) {
    if let media {
      try state.configuration.uriPolicy.check(media)
      activate(.upnpAV)
    }
    state.av.replace(with: media.map { content(for: $0) } ?? .empty)
    guard state.activeSource == .upnpAV else { return }
    state.failure = nil
    state.failuresInRow = 0
    trackChanged()
    // Play mostly comes next.
    if state.transport == .stopped, case .track(let media) = state.cue { request(.prepare(media)) }
  }

  mutating func setNextAVURI(_ media: Media?) throws(PlayerError) {
    try requireMedia()
    if let media { try state.configuration.uriPolicy.check(media) }
    state.av.replaceNext(with: media.map { content(for: $0) } ?? .empty)
    // Failures of what was dropped don't count against the new one.
    if state.activeSource == .upnpAV { state.failuresInRow = state.av.skipped }
  }

  mutating func setPlayMode(_ mode: PlayMode) {
    guard mode != state.av.playMode else { return }
    state.av.setPlayMode(mode, using: &state.random)
    if state.activeSource == .upnpAV { state.failuresInRow = 0 }
  }

  private func requireMedia() throws(PlayerError) {
    if state.av.isEmpty { throw .transitionNotAvailable }
  }

  // MARK: Transport

  mutating func playAV() throws(PlayerError) {
    try requireMedia()
    activate(.upnpAV)
    run()
  }

  mutating func pauseAV() throws(PlayerError) {
    try requireMedia()
    guard state.transport(of: .upnpAV) != .stopped else { throw .transitionNotAvailable }
    hold()
  }

  mutating func stopAV() throws(PlayerError) {
    try requireMedia()
    guard state.transport(of: .upnpAV) != .stopped else { return }
    halt()
    state.av.replaceNext(with: .empty)
  }

  // MARK: Seeking

  /// State is checked before the target (UPnP AVTransport:1: 701, then 710, then 711).
  mutating func seekAV(to position: Duration) throws(PlayerError) {
    try requireMedia()
    guard state.activeSource == .upnpAV else { throw .transitionNotAvailable }
    guard state.canReach(position) else { throw .illegalSeekTarget }
    go(to: position)
  }

  mutating func seekTrack(_ number: Int) throws(PlayerError) {
    try requireMedia()
    guard (1...state.av.numberOfTracks).contains(number) else { throw .illegalSeekTarget }
    activate(.upnpAV)
    state.failuresInRow = 0
    if number == state.av.trackNumber {
      restart()
    } else {
      state.av.take(trackNumber: number)
      trackChanged()
    }
  }

  mutating func move(_ step: AVQueue.Step?) throws(PlayerError) {
    try requireMedia()
    guard let step else { throw .illegalSeekTarget }
    activate(.upnpAV)
    state.failuresInRow = 0
    state.av.take(step)
    trackChanged()
  }
}
