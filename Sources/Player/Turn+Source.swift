/// Which source has the transport, and whether the player is awake (OpenHome Product, SourceIndex and Standby).
extension Turn {
  /// Leaves standby and makes `source` the active one; the one before stops.
  mutating func activate(_ source: SourceKind) {
    leaveStandby(choosingSource: false)
    switchTo(source)
  }

  mutating func setSource(_ source: SourceKind) throws(PlayerError) {
    guard state.sources.contains(source) else { throw .sourceNotFound }
    activate(source)
  }

  private mutating func switchTo(_ source: SourceKind) {
    guard source != state.activeSource else { return }
    halt()
    state.activeSource = source
    state.facts = TrackFacts()
    state.failure = nil
  }

  mutating func enterStandby() {
    guard !state.isStandby else { return }
    halt()
    state.isStandby = true
    request(.release)
  }

  mutating func leaveStandby(choosingSource: Bool) {
    guard state.isStandby else { return }
    state.isStandby = false
    if let startup = state.configuration.startupVolume { state.volume.setStep(startup, of: .master) }
    if choosingSource {
      switchTo(
        state.configuration.source(preferring: [state.configuration.startupSource, state.activeSource]))
    }
  }

  mutating func configure(_ configuration: PlayerConfiguration) {
    state.configuration = configuration
    state.volume.configure(curve: configuration.volumeCurve, limit: configuration.volumeLimit)
    switchTo(configuration.source(preferring: [state.activeSource]))
  }
}
