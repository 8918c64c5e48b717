/// Volume commands (UPnP RenderingControl:1, OpenHome Volume:4).
extension Transition {
  // MARK: RenderingControl

  mutating func setVolume(_ channel: VolumeChannel, step: Int) throws(PlayerError) {
    guard VolumeCurve.steps.contains(step) else { throw .valueOutOfRange }
    state.volume.setStep(step, of: channel)
    reportLimit(channel, step)
  }

  mutating func setVolume(_ channel: VolumeChannel, decibels: Int) throws(PlayerError) {
    guard state.volume.decibelRange.contains(decibels) else { throw .valueOutOfRange }
    state.volume.setDecibels(decibels, of: channel)
    reportLimit(channel, state.volume.curve.step(decibels: decibels))
  }

  mutating func restoreFactoryDefaults() {
    let configuration = state.configuration
    state.volume = Volume(
      curve: configuration.volumeCurve, limit: configuration.volumeLimit, step: configuration.factoryVolume)
  }

  // MARK: Volume:4

  /// Changes the master volume.
  ///
  /// Values out of range are clamped. Above 100 they are refused when the volume is already 100, so that
  /// clamping would have no effect. Above 200 they are always refused: such a value is a control point's
  /// unsigned 0 - 1, which was meant to lower the volume.
  mutating func changeMaster(_ change: VolumeChange, unmutes: Bool) throws(PlayerError) {
    let present = state.volume.step(of: .master)
    let highest = VolumeCurve.steps.upperBound
    let wanted: Int
    switch change {
    case .to(let step):
      if step > 2 * highest || step > highest && present == highest { throw .volumeOutOfRange }
      wanted = min(max(step, 0), highest)
    case .by(let distance): wanted = min(max(present + distance, 0), highest)
    }
    // Keeps a decibel value between two steps when the step is unchanged.
    if wanted != present { state.volume.setStep(wanted, of: .master) }
    if unmutes { state.volume.setMute(false, of: .master) }
    if case .to = change { reportLimit(.master, wanted) }
  }

  mutating func setBalance(_ balance: Int) throws(PlayerError) {
    guard (-Volume.balanceMax...Volume.balanceMax).contains(balance) else { throw .balanceOutOfRange }
    state.volume.setBalance(balance)
  }

  mutating func setTrim(_ trim: Int, of channel: VolumeChannel) throws(PlayerError) {
    guard channel != .master else { throw .unknownChannel }
    guard Volume.trimRange.contains(trim) else { throw .trimOutOfRange }
    state.volume.setTrim(trim, of: channel)
  }

  mutating func setVolumeOffset(_ offset: Int, of channel: VolumeChannel) throws(PlayerError) {
    guard channel != .master else { throw .unknownChannel }
    guard Volume.offsetRange.contains(offset) else { throw .offsetOutOfRange }
    state.volume.setOffset(offset, of: channel)
  }

  private mutating func reportLimit(_ channel: VolumeChannel, _ step: Int) {
    let limit = state.volume.limit
    if channel == .master, step > limit { report(.volumeLimited(requested: step, limit: limit)) }
  }
}
