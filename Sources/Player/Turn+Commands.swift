extension Turn {
  mutating func perform(_ command: Command) throws(PlayerError) {
    switch command {
    case .setAVURI(let media): try setAVURI(media)
    case .setNextAVURI(let media): try setNextAVURI(media)
    case .play: try playAV()
    case .pause: try pauseAV()
    case .stop: try stopAV()
    case .seek(let position): try seekAV(to: position)
    case .seekTrack(let number): try seekTrack(number)
    case .next: try move(state.av.successor())
    case .previous: try move(state.av.predecessor())
    case .setPlayMode(let mode): setPlayMode(mode)
    case .playlist(let command): try perform(command)
    case .radio(let command): try perform(command)
    case .transport(let command): try perform(command)
    case .setSource(let source): try setSource(source)
    case .setStandby(let isStandby): isStandby ? enterStandby() : leaveStandby(choosingSource: true)
    case .leaveStandby: leaveStandby(choosingSource: false)
    case .setVolume, .setVolumeDecibels, .setMute, .restoreFactoryDefaults, .changeVolume, .setBalance,
      .moveBalance, .setTrim, .setVolumeOffset:
      try changeVolume(command)
    case .wake(let id): reconnect(id)
    case .configure(let configuration): configure(configuration)
    case .setMIMETypes(let types): state.mimeTypes = types
    }
  }
}
