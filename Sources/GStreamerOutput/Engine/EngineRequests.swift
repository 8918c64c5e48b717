import CGStreamer
import Player

/// The player's requests.
extension Engine {
  func perform(_ request: OutputRequest) {
    switch request {
    case .prepare(let media): prepare(media)
    case .start(let id, let media, let position, let paused):
      start(id, media, position, paused)
    case .pause(let id): if heard?.id == id { pause() }
    case .resume(let id): if heard?.id == id { resume() }
    case .stop:
      dropTracks(fading: true)
      dropPrepared()
      becomeIdle()
    case .seek(let id, let position): if heard?.id == id { seek(position.glibNanoseconds) }
    case .setNext(let next): setNext(next)
    case .setGain(let left, let right):
      gain = (min(max(left, 0), 1), min(max(right, 0), 1))
      device?.source.setGain(left: gain.left, right: gain.right)
      reportPath()
    case .release:
      dropPrepared()
      if heard == nil { releaseDevice() }
    }
  }

  private func start(_ id: PlayID, _ media: Media, _ position: Duration, _ paused: Bool) {
    dropTracks()
    plan.cancelRelease()
    // Perhaps a device has appeared by now.
    if device?.isStandIn == true { closeDevice() }
    wantsStandIn = false
    if media != interrupted { plan.device.begin() }
    interrupted = nil
    playback.start(paused: paused)
    do {
      let track = try takeTrack(id, media)
      track.state.startPosition = position.glibNanoseconds
      // Connecting and opening the device happen side by side.
      track.run()
      begin(track)
      if track.state.isReady, heard === track, !welcome(track) { decide() }
    } catch {
      fail(id, error)
      becomeIdle()
    }
  }

  /// Makes `track` the heard one and loads it on an empty device.
  func begin(_ track: Track) {
    heard = track
    feeding = track
    track.state.begin()
    playback.load()
    plan.server.begin(at: .now)
    openSession()
  }

  private func pause() {
    guard playback.requestPause() else {
      // The mailbox may have dropped a resume in between as obsolete.
      reportState()
      return
    }
    guard let heard, phase != .idle else { return }
    guard let device else { return pauseWithoutDevice(heard) }
    guard !plan.fade.isToEnd, !fadeOut(.pause) else { return }
    _ = device.run(paused: true)
    plan.soundStops()
    // While loading, ``checkPaused()`` reports it once the first samples are there.
    guard playback.silence() else { return }
    emit(.paused(heard.id, position: position(of: heard)))
  }

  private func resume() {
    guard playback.requestPlay() else {
      reportState()
      return
    }
    guard heard != nil else { return }
    guard let device else { return resumeWithoutDevice() }
    guard !plan.fade.isToEnd else { return }
    if plan.fade.purpose == .pause {
      abandonFade()
      reportState()
      return
    }
    guard playback.run() else { return }
    device.source.open()
    plan.server.begin(at: .now)
    if !device.run(paused: false) { deviceRefused() }
  }

  private func seek(_ position: guint64) {
    guard let track = heard else { return }
    guard track.state.format != nil, device != nil, !plan.fade.isToEnd else {
      track.state.startPosition = position
      if device == nil, isPaused { emit(.paused(track.id, position: self.position(of: track))) }
      return
    }
    // Of two flushes at a time, the first would let through what the second must drop.
    guard !track.feed.isFlushing else {
      track.state.awaitedSeek = position
      return
    }
    performSeek(track, position)
  }

  /// Continues `track` at `position`, with the device emptied.
  func performSeek(_ track: Track, _ position: guint64) {
    track.state.awaitedSeek = nil
    if track.reading?.awaitsEnd == true {
      // Whether and how it can be done is known soon.
      track.state.awaitedSeek = position
      return
    }
    guard track.isSeekable else {
      logger.info("\(redacted(uri: track.media.uri)) can't be sought: its server or format doesn't allow it.")
      _ = track.reports.isNew(isSeekable: false)
      emit(.seekable(track.id, false))
      reportState()
      return
    }
    let next = plan.next.wanted
    if feeding !== track { dropUpcoming() }
    timeline.grant(nil)
    plan.soundStops()
    plan.isFed()
    // A pause that was to follow the fade takes effect with the seek.
    if plan.fade.purpose == .pause {
      plan.fade = FadeOut()
      _ = device?.run(paused: true)
    }
    let wasStarved = phase == .buffering
    let target = min(position, track.duration ?? position)
    track.state.seek(to: target)
    let beginsAnew = track.mustBeginAnew(for: target)
    if !beginsAnew, !track.seek(to: target) {
      logger.info("The stream refused to seek; it plays on where it was.")
    }
    device?.flush()
    timeline.reset(entry: device?.source, forgetFormat: false)
    // It was paused until enough samples had come.
    if wasStarved, let device, !device.run(paused: isPaused) { deviceRefused() }
    track.state.begin()
    playback.load()
    plan.server.begin(at: .now)
    if beginsAnew {
      replace(track, uri: track.uri, rawPCM: nil)
    } else {
      grantTurn(to: track)
    }
    if upcoming == nil, next != nil { setNext(next) }
  }

  /// Repeats the current state after a request that changed nothing.
  func reportState() {
    guard let heard else { return }
    switch phase {
    case .playing: emit(.playing(heard.id, position: position(of: heard)))
    case .paused: emit(.paused(heard.id, position: position(of: heard)))
    case .idle, .loading, .buffering: break
    }
  }
}

extension Duration {
  /// ``wholeNanoseconds`` as GLib's integer type.
  var glibNanoseconds: guint64 { guint64(wholeNanoseconds) }
}
