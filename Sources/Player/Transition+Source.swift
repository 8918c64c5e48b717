/// The active source and standby (OpenHome Product, SourceIndex and Standby).
extension Transition {
  /// Leaves standby and makes `source` active; the previous source stops.
  mutating func activate(_ source: SourceKind) {
    leaveStandby(choosingSource: false)
    state.radio.isAwaited = false
    switchTo(source)
  }

  /// Selects a source on request of a control point. It stays active until another one is selected.
  mutating func setSource(_ source: SourceKind) throws(PlayerError) {
    guard state.sources.contains(source) else { throw .sourceNotFound }
    activate(source)
    state.castOver = nil
  }

  /// Whoever pauses, stops or seeks in the active source means it with the next Play, too: a station that was only
  /// chosen doesn't wait for that any more.
  mutating func activeSourceControlled() { state.radio.isAwaited = false }

  private mutating func switchTo(_ source: SourceKind) {
    let before = state.activeSource
    guard source != before else { return }
    if before == .upnpAV { saveCast() }
    halt()
    state.activeSource = source
    state.castOver = nil
    state.facts = TrackFacts()
    state.failure = nil
    if source == .upnpAV { restoreCast() } else if state.avFocus == .stoppedOthers { state.avFocus = .others }
  }

  // MARK: Casts

  /// Time that UPnP AV stays active after a cast, since control points that cast track by track send Stop in
  /// between.
  static let castEndDelay = Duration.seconds(5)

  /// Makes UPnP AV active for a cast. The source from which the cast takes over gets the transport back
  /// later.
  mutating func takeOver() {
    let before = state.activeSource
    // An earlier failure says nothing about the new attempt.
    state.av.rest.failure = nil
    activate(.upnpAV)
    if before != .upnpAV { state.castOver = before }
  }

  /// Ends a cast: the previous source becomes active again. Some control points offer fewer actions while the
  /// source is UPnP AV.
  mutating func silenceElapsed(_ id: WakeID) {
    guard hasLasted(\.silence, for: Self.castEndDelay, id), let source = state.castOver else { return }
    switchTo(state.configuration.source(preferring: [source]))
  }

  /// Detects the end of a cast, and that another source has taken over from one.
  mutating func watchSources(since old: PlayerState) {
    let isSilent = state.transport == .stopped
    watch(
      \.silence, for: Self.castEndDelay, isOn: isSilent && state.castOver != nil,
      isNew: old.transport != .stopped)
    guard !isSilent else { return }
    guard state.activeSource != .upnpAV else {
      // A cast that plays is shown, and no longer waits for Play.
      if !state.av.isEmpty { state.avFocus = .cast }
      state.av.isAwaited = false
      return
    }
    if old.transport == .stopped || old.activeSource != state.activeSource { state.avFocus = .others }
  }

  /// Saves the cast when another source becomes active. A playing cast ends by that; a stopped one can still
  /// be played.
  private mutating func saveCast() {
    if state.transport == .stopped {
      state.av.rest = SavedCastState(
        position: state.anchor.position, facts: state.facts, failure: state.failure)
    } else {
      state.av.rest = SavedCastState(facts: state.facts)
      state.avFocus = .others
    }
  }

  private mutating func restoreCast() {
    if !state.av.isEmpty { state.avFocus = .cast }
    state.facts = state.av.rest.facts
    state.failure = state.av.rest.failure
    state.anchor = PositionAnchor(position: state.av.rest.position, instant: now)
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
      state.radio.isAwaited = false
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
