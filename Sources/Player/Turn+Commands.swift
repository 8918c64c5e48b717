extension Turn {
  mutating func perform(_ command: Command) throws(PlayerError) {
    switch command {
    case .setAVURI(let media): try setAVURI(media)
    case .setNextAVURI(let media): try setNextAVURI(media)
    case .play: try play()
    case .pause: try pause()
    case .stop: try stop()
    case .seek(let position): try seek(to: position)
    case .seekTrack(let number): try seekTrack(number)
    case .next: try move(state.av.successor())
    case .previous: try move(state.av.predecessor())
    case .setPlayMode(let mode): setPlayMode(mode)
    case .setVolume, .setVolumeDecibels, .setMute, .restoreFactoryDefaults: try changeVolume(command)
    case .configure(let configuration): configure(configuration)
    case .setMIMETypes(let types): state.mimeTypes = types
    }
  }

  // MARK: Media

  /// Setting media never starts, stops or pauses by itself, so what plays goes on playing, with the new media: a
  /// control point that casts a second track expects to hear that one.
  private mutating func setAVURI(_ media: Media?) throws(PlayerError) {
    if let media { try state.configuration.uriPolicy.check(media) }
    activate(.upnpAV)
    state.failure = nil
    state.failuresInRow = 0
    state.av.replace(with: media.map { content(for: $0) } ?? .empty)
    trackChanged()
  }

  private mutating func setNextAVURI(_ media: Media?) throws(PlayerError) {
    try requireMedia()
    if let media { try state.configuration.uriPolicy.check(media) }
    state.av.replaceNext(with: media.map { content(for: $0) } ?? .empty)
    // Failures of what was dropped don't count against the new one.
    state.failuresInRow = state.av.skipped
  }

  private mutating func setPlayMode(_ mode: PlayMode) {
    guard mode != state.av.playMode else { return }
    state.av.setPlayMode(mode, using: &state.random)
    state.failuresInRow = 0
  }

  private func requireMedia() throws(PlayerError) {
    if state.av.isEmpty { throw .transitionNotAvailable }
  }

  // MARK: Transport

  private mutating func play() throws(PlayerError) {
    try requireMedia()
    activate(.upnpAV)
    switch state.transport {
    case .stopped: begin(.playing, at: state.anchor.position)
    case .resolving(.playing), .loading(_, .playing), .buffering(_, .playing), .playing: break
    case .resolving: state.transport = .resolving(.playing)
    case .loading(let id, _):
      request(.resume(id))
      state.transport = .loading(id, .playing)
    case .buffering(let id, _):
      request(.resume(id))
      state.transport = .buffering(id, .playing)
    case .paused(let id):
      request(.resume(id))
      state.transport = .playing(id)
      state.anchor = PositionAnchor(position: state.anchor.position, instant: now, rate: 1)
    }
  }

  private mutating func pause() throws(PlayerError) {
    try requireMedia()
    switch state.transport(of: .upnpAV) {
    case .stopped: throw .transitionNotAvailable
    case .paused, .resolving(.paused), .resolving(.cued), .loading(_, .paused), .loading(_, .cued),
      .buffering(_, .paused), .buffering(_, .cued):
      break
    case .resolving(.playing): state.transport = .resolving(.paused)
    case .loading(let id, .playing):
      request(.pause(id))
      state.transport = .loading(id, .paused)
    case .buffering(let id, .playing):
      request(.pause(id))
      state.transport = .buffering(id, .paused)
    case .playing(let id):
      request(.pause(id))
      state.transport = .paused(id)
      state.anchor = PositionAnchor(position: state.position(at: now), instant: now)
    }
  }

  private mutating func stop() throws(PlayerError) {
    try requireMedia()
    guard state.transport(of: .upnpAV) != .stopped else { return }
    halt()
    state.av.replaceNext(with: .empty)
  }

  // MARK: Seeking

  /// Bound for tracks of unknown length: far beyond any track, and fits 64 bits of nanoseconds.
  private static var furthestSeek: Duration { .seconds(1_000_000_000) }

  /// State is checked before the target (UPnP AVTransport:1: 701, then 710, then 711).
  private mutating func seek(to position: Duration) throws(PlayerError) {
    try requireMedia()
    guard state.activeSource == .upnpAV else { throw .transitionNotAvailable }
    guard state.isSeekable, (.zero...(state.duration ?? Self.furthestSeek)).contains(position) else {
      throw .illegalSeekTarget
    }
    switch state.transport {
    case .stopped, .resolving: state.anchor = PositionAnchor(position: position, instant: now)
    // Nothing was heard yet: beginning elsewhere is better than hearing the start and then jumping.
    case .loading(_, let target): begin(target, at: position)
    case .buffering(let id, _), .playing(let id), .paused(let id):
      request(.seek(id, position))
      state.anchor = PositionAnchor(position: position, instant: now, rate: state.anchor.rate)
    }
  }

  private mutating func seekTrack(_ number: Int) throws(PlayerError) {
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

  private mutating func move(_ step: AVQueue.Step?) throws(PlayerError) {
    try requireMedia()
    guard let step else { throw .illegalSeekTarget }
    activate(.upnpAV)
    state.failuresInRow = 0
    state.av.take(step)
    trackChanged()
  }

  // MARK: Volume

  private mutating func changeVolume(_ command: Command) throws(PlayerError) {
    switch command {
    case .setVolume(let channel, let step):
      guard VolumeCurve.steps.contains(step) else { throw .valueOutOfRange }
      state.volume.setStep(step, of: channel)
      reportLimit(channel, step)
    case .setVolumeDecibels(let channel, let decibels):
      guard state.volume.decibelRange.contains(decibels) else { throw .valueOutOfRange }
      state.volume.setDecibels(decibels, of: channel)
      reportLimit(channel, state.volume.curve.step(decibels: decibels))
    case .setMute(let channel, let isMuted): state.volume.setMute(isMuted, of: channel)
    case .restoreFactoryDefaults:
      let configuration = state.configuration
      state.volume = Volume(
        curve: configuration.volumeCurve, limit: configuration.volumeLimit, step: configuration.factoryVolume)
    default: break
    }
  }

  private mutating func reportLimit(_ channel: VolumeChannel, _ step: Int) {
    let limit = state.volume.limit
    if channel == .master, step > limit { report(.volumeLimited(requested: step, limit: limit)) }
  }

  private mutating func configure(_ configuration: PlayerConfiguration) {
    state.configuration = configuration
    state.volume.configure(curve: configuration.volumeCurve, limit: configuration.volumeLimit)
  }
}
