import Player

/// The player's requests.
extension EngineMachine {
  mutating func perform(_ request: OutputRequest) {
    switch request {
    case .prepare(let media): prepare(media)
    case .start(let id, let media, let position, let paused): start(id, media, position, paused)
    case .pause(let id): if self[heard]?.id == id { pause() }
    case .resume(let id): if self[heard]?.id == id { resume() }
    case .stop:
      dropTracks(fading: true)
      dropPrepared()
      becomeIdle()
    case .seek(let id, let position):
      if let track = self[heard], track.id == id { seek(track, position.wholeNanoseconds) }
    case .setNext(let next): setNext(next)
    case .setGain(let left, let right):
      gain = (min(max(left, 0), 1), min(max(right, 0), 1))
      if device != nil { act(.setGain(left: gain.left, right: gain.right)) }
      reportPath()
    case .release:
      dropPrepared()
      if heard == nil { releaseDevice() }
    }
  }

  private mutating func start(_ id: PlayID, _ media: Media, _ position: Duration, _ paused: Bool) {
    // What other rooms have been sent is heard everywhere.
    dropTracks(fading: world.isSending)
    plan.cancelRelease()
    // Perhaps a device has appeared by now.
    if device?.isStandIn == true { closeDevice() }
    output.wantsStandIn = false
    if media != interruptedMedia { plan.device.begin() }
    interruptedMedia = nil
    playback.start(paused: paused)
    if let serial = takePrepared(for: id, media) {
      load(serial, at: position)
    } else {
      make(id: id, media: media, for: .start(position: position))
    }
  }

  /// A track that was started is there.
  mutating func load(_ serial: Int, at position: Duration) {
    self[serial]?.state.startPosition = position.wholeNanoseconds
    // Connecting and opening the device happen side by side.
    act(.run, on: serial)
    begin(serial)
    then(.begun(serial))
  }

  /// A track that was prepared may have its first samples already.
  mutating func begun(_ serial: Int) {
    guard heard == serial, self[serial]?.state.isReady == true, !welcome(serial) else { return }
    then(.decide)
  }

  /// Makes `serial` the heard track and loads it on an empty device.
  mutating func begin(_ serial: Int) {
    hear(serial)
    feeding = serial
    self[serial]?.state.begin()
    playback.load()
    plan.server.begin(at: now)
    openSession()
  }

  private mutating func pause() {
    guard playback.requestPause() else {
      // The mailbox may have dropped a resume in between as obsolete.
      reportState()
      return
    }
    guard let heard, phase != .idle else { return }
    guard device != nil else { return pauseWithoutDevice() }
    // A seek that waits for its fade then stays silent.
    if case .seek = plan.fade.purpose { return }
    guard !plan.fade.isToEnd, !fadeOut(.pause) else { return }
    act(.run(paused: true, reportsRefusal: false))
    plan.soundStops()
    // While loading, ``checkPaused()`` reports it once the first samples are there.
    guard playback.silence() else { return }
    then(.tellPaused(heard))
  }

  mutating func tellPaused(_ serial: Int) {
    guard let track = self[serial] else { return }
    emit(.paused(track.id, position: position(of: track)))
  }

  private mutating func resume() {
    guard playback.requestPlay() else {
      reportState()
      return
    }
    guard heard != nil else { return }
    guard device != nil else { return resumeWithoutDevice() }
    guard !plan.fade.isToEnd else { return }
    if plan.fade.purpose == .pause {
      abandonFade()
      reportState()
      return
    }
    guard playback.run() else { return }
    leadIn()
    act(.openEntry)
    plan.server.begin(at: now)
    act(.run(paused: false, reportsRefusal: true))
  }

  /// Repeats the current state after a request that changed nothing.
  mutating func reportState() {
    guard let track = self[heard] else { return }
    switch phase {
    case .playing: emit(.playing(track.id, position: position(of: track)))
    case .paused: emit(.paused(track.id, position: position(of: track)))
    case .idle, .loading, .buffering: break
    }
  }
}
