/// The active source and standby (OpenHome Product, SourceIndex and Standby).
extension Transition {
  /// Leaves standby and makes `source` active; the previous source stops.
  mutating func activate(_ source: SourceKind) {
    leaveStandby(choosingSource: false)
    state.awaitedSource = nil
    switchTo(source)
  }

  /// Selects a source on request of a control point. It stays active until another one is selected.
  mutating func setSource(_ source: SourceKind) throws(PlayerError) {
    guard state.sources.contains(source) else { throw .sourceNotFound }
    activate(source)
    state.castOver = nil
  }

  /// The active source was paused, stopped or moved: the next Play is for it, no longer for a source that was only
  /// chosen.
  mutating func activeSourceControlled() { state.awaitedSource = nil }

  mutating func switchTo(_ source: SourceKind) {
    let before = state.activeSource
    guard source != before else { return }
    state.rules(of: before).left(&self)
    halt()
    state.activeSource = source
    state.castOver = nil
    state.facts = TrackFacts()
    state.failure = nil
    if source != .upnpAV, state.avFocus == .stoppedOthers { state.avFocus = .others }
    state.rules(of: source).selected(&self)
  }

  // MARK: Standby

  mutating func enterStandby() {
    guard !state.isStandby else { return }
    // Its control point must not read this as the end of a track and start the next one.
    if state.activeSource == .upnpAV, state.transport != .stopped { state.avFocus = .others }
    halt()
    state.isStandby = true
    request(.release)
  }

  mutating func leaveStandby(choosingSource: Bool) {
    guard state.isStandby else { return }
    state.isStandby = false
    if let startup = state.configuration.startupVolume { state.volume.setStep(startup, of: .master) }
    if choosingSource {
      state.awaitedSource = nil
      switchTo(
        state.configuration.source(
          preferring: [state.configuration.startupSource, state.castOver ?? state.activeSource]))
      state.castOver = nil
    }
  }

  mutating func configure(_ configuration: PlayerConfiguration) {
    state.configuration = configuration
    state.volume.configure(curve: configuration.volumeCurve, limit: configuration.volumeLimit)
    switchTo(configuration.source(preferring: [state.activeSource]))
  }
}
