import Pins

/// Commands of controllers of the Sonos class.
extension Transition {
  mutating func perform(_ command: ZoneCommand) throws(PlayerError) {
    switch command {
    case .selectQueue: if state.activeSource != .playlist { try select(.playlist) }
    case .selectTrack(let media, let sent): try selectTrack(media, as: sent)
    case .selectStation(let media, let others, let sent):
      try selectStation(media, others: others, as: sent)
    case .setNext(let media, let sent): try setNext(media, as: sent)
    case .noteFiller(let media): state.zone.filler = media
    case .play: try playZone()
    case .pause:
      guard state.transport != .stopped else { throw .transitionNotAvailable }
      pauseZone()
    case .stop: haltZone()
    case .next: try skipZone(.ahead)
    case .previous: try skipZone(.back)
    case .seek(let position): try seekZone(to: position)
    case .skip(let distance): try seekZone(to: state.clamped(state.position(at: now), moved: distance))
    case .seekTrack(let number): try seekZoneTrack(number)
    case .setMode(let mode): try setZoneMode(mode)
    case .changePin(let id, let pin): try change(id, to: pin)
    case .setBass(let step): state.zone.settings.bass = try tone(step)
    case .setTreble(let step): state.zone.settings.treble = try tone(step)
    case .setLoudness(let isOn): state.zone.settings.hasLoudness = isOn
    case .setCrossfade(let isOn): state.zone.settings.crossfades = isOn
    case .resetTone:
      (state.zone.settings.bass, state.zone.settings.treble) = (0, 0)
      state.zone.settings.hasLoudness = true
      for side in [VolumeChannel.left, .right] { state.volume.setStep(100, of: side) }
    case .setSleep(let time): setSleep(time)
    case .ramp(let target, let start, let interval, let delay):
      try startRamp(to: target, from: start, every: interval, after: delay)
    }
  }

  // MARK: What plays

  /// Makes `source` active, stopped. It stays so until somebody selects another one.
  private mutating func select(_ source: SourceKind) throws(PlayerError) {
    guard state.sources.contains(source) else { throw .sourceNotFound }
    haltZone()
    switchTo(source)
    state.castOver = nil
  }

  private mutating func selectTrack(_ media: Media, as sent: Media) throws(PlayerError) {
    try state.configuration.uriPolicy.check(media)
    try select(.upnpAV)
    state.av.replace(with: content(for: media))
    state.avFocus = .cast
    state.zone.name = Zone.Name(sent: sent, played: media)
    trackReplaced()
    if !state.isStandby, case .track(let media) = state.av.cue { request(.prepare(media)) }
  }

  private mutating func selectStation(
    _ media: Media, others: [String], as sent: Media
  ) throws(PlayerError) {
    guard state.sources.contains(.radio) else { return try selectTrack(media, as: sent) }
    try state.configuration.uriPolicy.check(media)
    try select(.radio)
    if state.radio.choose(media, id: 0) {
      state.radio.link = RadioLink()
      let entries = others.map { Media(uri: $0, metadata: media.metadata) }
      state.radio.content =
        entries.isEmpty
        ? content(for: media)
        : TrackList(container: media, entries: [media] + entries).map { .tracks($0) } ?? .empty
    }
    state.zone.name = Zone.Name(sent: sent, played: media)
    trackReplaced()
  }

  private mutating func trackReplaced() {
    state.facts = TrackFacts()
    state.failure = nil
    state.anchor = PositionAnchor(instant: now)
  }

  private mutating func setNext(_ media: Media?, as sent: Media?) throws(PlayerError) {
    guard state.activeSource == .upnpAV, !state.av.isEmpty else { throw .transitionNotAvailable }
    if let media { try state.configuration.uriPolicy.check(media) }
    state.av.replaceNext(with: media.map { content(for: $0) } ?? .empty)
    state.failuresInRow = state.av.skipped
    state.zone.nextName = media.flatMap { media in sent.map { Zone.Name(sent: $0, played: media) } }
  }

  // MARK: Transport

  private mutating func playZone() throws(PlayerError) {
    guard state.cue.isSomething else { throw .transitionNotAvailable }
    leaveStandby(choosingSource: false)
    state.awaitedSource = nil
    if state.transport == .stopped {
      try state.rules(of: state.activeSource).play(&self)
    } else {
      run()
    }
  }

  private mutating func pauseZone() {
    activeSourceControlled()
    state.canBeHeld(state.activeSource) ? hold() : halt()
  }

  private mutating func haltZone() {
    activeSourceControlled()
    halt()
  }

  private mutating func skipZone(_ direction: SkipDirection) throws(PlayerError) {
    let source = state.activeSource
    guard source == .playlist || source == .upnpAV, state.cue.isSomething else {
      throw .transitionNotAvailable
    }
    guard state.hasTrack(direction, of: source) else { throw .illegalSeekTarget }
    activeSourceControlled()
    move(direction, in: source)
  }

  private mutating func seekZone(to position: Duration) throws(PlayerError) {
    guard state.cue.isSomething, !state.isLive(state.activeSource) || state.transport == .stopped else {
      throw .transitionNotAvailable
    }
    guard state.canReach(position, in: state.activeSource) else { throw .illegalSeekTarget }
    activeSourceControlled()
    go(to: position)
  }

  private mutating func seekZoneTrack(_ number: Int) throws(PlayerError) {
    guard state.activeSource == .playlist else { throw .transitionNotAvailable }
    let ids = state.playlist.tracks.ids
    guard ids.indices.contains(number - 1) else { throw .illegalSeekTarget }
    activeSourceControlled()
    state.failuresInRow = 0
    _ = state.playlist.take(id: ids[number - 1], using: &state.random)
    trackChanged()
  }

  private mutating func setZoneMode(_ mode: ZonePlayMode) throws(PlayerError) {
    guard state.activeSource == .playlist else { throw .playModeNotSupported }
    try perform(PlaylistCommand.setShuffle(mode.shuffles))
    state.playlist.setRepeating(mode.repeats != .none, one: mode.repeats == .one)
  }

  // MARK: Settings

  private mutating func change(_ id: UInt32, to pin: Pin) throws(PlayerError) {
    guard let index = state.pins.index(of: id) else { throw .pinNotFound }
    let number = state.favouriteNumber(of: id)
    try perform(PinCommand.set(pin, index: index))
    let new = state.pins.ids[index]
    state.zone.settings.favourites = state.zone.settings.favourites.filter {
      state.pins.index(of: $0.key) != nil
    }
    if new != number { state.zone.settings.favourites[new] = number }
  }

  private func tone(_ step: Int) throws(PlayerError) -> Int {
    guard ZoneSettings.toneRange.contains(step) else { throw .valueOutOfRange }
    return step
  }

  private mutating func setSleep(_ time: Duration?) {
    guard let time, time > .zero else { return state.zone.sleep.cancel() }
    let limited = min(time, SleepTimer.longest)
    state.zone.sleep.start(limited, at: now, wake: wake(after: limited))
  }

  private mutating func startRamp(
    to target: Int, from start: Int?, every interval: Duration, after delay: Duration
  ) throws(PlayerError) {
    guard VolumeCurve.steps.contains(target) else { throw .valueOutOfRange }
    if let start { try setVolume(.master, step: start) }
    state.zone.ramp = VolumeRamp(
      from: state.volume.step(of: .master), to: min(target, state.volume.limit), interval: interval,
      wake: wake(after: delay + interval))
  }

  /// A wake-up: of the sleep timer, of the ramp, or of neither.
  mutating func zoneElapsed(_ id: WakeID) {
    if state.zone.sleep.woken(by: id), state.transport != .stopped { pauseZone() }
    guard var ramp = state.zone.ramp, ramp.wake == id else { return }
    state.zone.ramp = nil
    guard let step = ramp.advance(from: state.volume.step(of: .master)) else { return }
    state.volume.setStep(step, of: .master)
    guard step != ramp.target else { return }
    ramp.wake = wake(after: ramp.interval)
    state.zone.ramp = ramp
  }
}
