import CGStreamer
import Player

/// What the player asks for.
extension Engine {
  func perform(_ request: OutputRequest) {
    switch request {
    case .prepare(let media): prepare(media)
    case .start(let id, let media, let position, let paused):
      start(id, media, position, paused)
    case .pause(let id): if heard?.id == id { pause() }
    case .resume(let id): if heard?.id == id { resume() }
    case .stop:
      dropTracks()
      dropPrepared()
      becomeIdle()
    case .seek(let id, let position): if heard?.id == id { seek(position.wholeNanosecondsWord) }
    case .setNext(let next): setNext(next)
    case .setGain(let left, let right):
      gain = (min(max(left, 0), 1), min(max(right, 0), 1))
      device?.setGain(left: gain.left, right: gain.right)
    case .release:
      dropPrepared()
      if heard == nil { releaseDevice() }
    }
  }

  private func start(_ id: PlayID, _ media: Media, _ position: Duration, _ paused: Bool) {
    dropTracks()
    alarms.release = nil
    isPaused = paused
    do {
      let track = try takeTrack(id, media)
      track.startPosition = position.wholeNanosecondsWord
      // Connecting and opening the device go side by side.
      track.run()
      begin(track)
    } catch {
      fail(id, error)
      becomeIdle()
    }
  }

  /// Makes `track` the one that is loaded and heard next, on an empty device.
  func begin(_ track: Track) {
    heard = track
    feeding = track
    track.joint = nil
    phase = .loading
    lastProgress = .now
    alarms.watch = .now + .milliseconds(700)
    openSession()
  }

  private func pause() {
    guard !isPaused else {
      // There may have been a resume in between, of which nobody has heard.
      reportState()
      return
    }
    isPaused = true
    guard let device, let heard, phase != .idle else { return }
    _ = device.run(paused: true)
    alarms.joint = nil
    // While loading, the first samples tell when it is silent and ready.
    guard phase != .loading else { return }
    phase = .paused
    emit(.paused(heard.id, position: position(of: heard)))
  }

  private func resume() {
    guard isPaused else {
      reportState()
      return
    }
    isPaused = false
    guard let device, heard != nil else { return }
    switch phase {
    case .paused, .loading:
      if phase == .paused { phase = .loading }
      lastProgress = .now
      alarms.watch = .now + .milliseconds(700)
      if !device.run(paused: false) { deviceRefused() }
    case .idle, .playing, .buffering: break
    }
  }

  private func seek(_ position: guint64) {
    guard let track = heard else { return }
    guard track.format != nil else {
      track.startPosition = position
      return
    }
    // Of two flushes at a time the first would let through what the second is to drop.
    guard !track.feed.isFlushing else {
      track.awaitedSeek = position
      return
    }
    performSeek(track, position)
  }

  /// Continues `track` at `position`, with the device emptied.
  func performSeek(_ track: Track, _ position: guint64) {
    track.awaitedSeek = nil
    guard track.isSeekable else {
      logger.info("\(redacted(uri: track.media.uri)) can't be sought: its server or format doesn't allow it.")
      track.toldSeekable = false
      emit(.seekable(track.id, false))
      reportState()
      return
    }
    let next = nextWanted
    if feeding !== track { dropUpcoming() }
    timeline.grant(nil)
    alarms.joint = nil
    alarms.starvation = nil
    let target = min(position, track.duration ?? position)
    track.startPosition = target
    track.failure = nil
    let isDone = track.seek(to: target)
    if !isDone { logger.info("The stream refused to seek; it plays on where it was.") }
    device?.flush()
    timeline.reset(source: device?.source, forgetFormat: false)
    isEndSent = false
    track.joint = nil
    phase = .loading
    lastProgress = .now
    alarms.watch = .now + .milliseconds(700)
    grantTurn(to: track)
    if upcoming == nil, next != nil { setNext(next) }
  }

  /// Tells again what holds, after a request that changed nothing.
  func reportState() {
    guard let heard else { return }
    switch phase {
    case .playing: emit(.playing(heard.id, position: position(of: heard)))
    case .paused: emit(.paused(heard.id, position: position(of: heard)))
    case .idle, .loading, .buffering: break
    }
  }

  func setNext(_ next: NextTrack?) {
    guard let heard else { return }
    if let upcoming, upcoming.id == next?.id { return }
    let wasFeeding = upcoming != nil && feeding === upcoming
    // Its samples wait in the device already, and only a seek back gets them out: it is too late.
    if wasFeeding, !heard.isSeekable {
      nextWanted = next
      return
    }
    dropUpcoming()
    nextWanted = next
    if wasFeeding {
      // Back to what is heard now, without what waits behind it.
      let position = position(of: heard).wholeNanosecondsWord
      performSeek(heard, position)
    }
    guard let next, upcoming == nil else { return }
    do {
      let track = try makeTrack(id: next.id, media: next.media)
      upcoming = track
      track.run()
    } catch {
      nextWanted = nil
      fail(next.id, error)
    }
  }

  /// Gives up the next track; ``feeding`` is the heard one again.
  func dropUpcoming() {
    guard let track = upcoming else { return }
    upcoming = nil
    nextWanted = nil
    if feeding === track { feeding = heard }
    alarms.joint = nil
    track.dispose()
  }

  func fail(_ id: PlayID, _ failure: PlaybackFailure) {
    logger.warning("\(failure.message)", metadata: ["play": "\(id)"])
    emit(.failed(id, failure))
  }
}

extension Duration {
  /// ``wholeNanoseconds`` in GLib's word for it.
  var wholeNanosecondsWord: guint64 { guint64(wholeNanoseconds) }
}
