/// Casts: what UPnP AV control points play, which takes over from other sources and gives the transport back.
extension Transition {
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
  mutating func saveCast() {
    if state.transport == .stopped {
      state.av.rest = SavedCastState(
        position: state.anchor.position, facts: state.facts, failure: state.failure)
    } else {
      state.av.rest = SavedCastState(facts: state.facts)
      state.avFocus = .others
    }
  }

  mutating func restoreCast() {
    if !state.av.isEmpty { state.avFocus = .cast }
    state.facts = state.av.rest.facts
    state.failure = state.av.rest.failure
    state.anchor = PositionAnchor(position: state.av.rest.position, instant: now)
  }
}
