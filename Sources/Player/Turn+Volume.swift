extension Turn {
  mutating func changeVolume(_ command: Command) throws(PlayerError) {
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
    case .changeVolume(let change, let unmutes): try changeMaster(change, unmutes: unmutes)
    case .setBalance(let balance):
      guard (-Volume.balanceMax...Volume.balanceMax).contains(balance) else { throw .balanceOutOfRange }
      state.volume.setBalance(balance)
    case .moveBalance(let distance): state.volume.setBalance(state.volume.balance + distance)
    case .setTrim(let channel, let trim):
      guard channel != .master else { throw .unknownChannel }
      guard Volume.trimRange.contains(trim) else { throw .trimOutOfRange }
      state.volume.setTrim(trim, of: channel)
    case .setVolumeOffset(let channel, let offset):
      guard channel != .master else { throw .unknownChannel }
      guard Volume.offsetRange.contains(offset) else { throw .offsetOutOfRange }
      state.volume.setOffset(offset, of: channel)
    default: break
    }
  }

  /// OpenHome Volume:4: too much is brought inside, and refused only when nothing could come of it.
  private mutating func changeMaster(_ change: VolumeChange, unmutes: Bool) throws(PlayerError) {
    let present = state.volume.step(of: .master)
    let highest = VolumeCurve.steps.upperBound
    let wanted: Int
    switch change {
    case .to(let step):
      if step > highest, present == highest { throw .volumeOutOfRange }
      wanted = min(max(step, 0), highest)
    case .by(let distance): wanted = min(max(present + distance, 0), highest)
    }
    // A decibel value between two steps isn't lost to a step that rounds to the same.
    if wanted != present { state.volume.setStep(wanted, of: .master) }
    if unmutes { state.volume.setMute(false, of: .master) }
    if case .to = change { reportLimit(.master, wanted) }
  }

  private mutating func reportLimit(_ channel: VolumeChannel, _ step: Int) {
    let limit = state.volume.limit
    if channel == .master, step > limit { report(.volumeLimited(requested: step, limit: limit)) }
  }
}
