extension Transition {
  mutating func perform(_ command: Command) throws(PlayerError) {
    switch command {
    case .av(let command): try perform(command)
    case .playlist(let command): try perform(command)
    case .radio(let command): try perform(command)
    case .receiver(let command): perform(command)
    case .pins(let command): try perform(command)
    case .transport(let command): try perform(command)
    case .zone(let command): try perform(command)
    case .setSource(let source): try setSource(source)
    case .setStandby(let isStandby): isStandby ? enterStandby() : leaveStandby(choosingSource: true)
    case .leaveStandby: leaveStandby(choosingSource: false)
    case .setVolume(let channel, let step): try setVolume(channel, step: step)
    case .setVolumeDecibels(let channel, let decibels): try setVolume(channel, decibels: decibels)
    case .setMute(let channel, let isMuted): state.volume.setMute(isMuted, of: channel)
    case .restoreFactoryDefaults: restoreFactoryDefaults()
    case .changeVolume(let change, let unmutes): try changeMaster(change, unmutes: unmutes)
    case .setBalance(let balance): try setBalance(balance)
    case .moveBalance(let distance): state.volume.setBalance(state.volume.balance + distance)
    case .setTrim(let channel, let trim): try setTrim(trim, of: channel)
    case .setVolumeOffset(let channel, let offset): try setVolumeOffset(offset, of: channel)
    case .wake(let id):
      reconnect(id)
      pauseElapsed(id)
      silenceElapsed(id)
      zoneElapsed(id)
    case .configure(let configuration): configure(configuration)
    case .setMIMETypes(let types): state.mimeTypes = types
    case .senderChanged(let sender): state.sender = sender
    }
  }
}
