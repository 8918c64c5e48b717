import Player

/// Servers that are slow or silent.
extension EngineMachine {
  /// Reads ahead as much as is configured, but not before sound plays: reading would take processor time from decoding
  /// the first samples.
  mutating func readOn(_ serial: Int) {
    guard let track = self[serial], serial != prepared, serial != heard || phase != .loading else { return }
    act(.readOn(bitRate: track.bitRate), on: serial)
  }

  /// The device has had no samples for a moment, and the track hasn't ended.
  mutating func starvationDue() {
    guard let track = self[heard], device != nil, self[feeding]?.state.isFinished == false,
      world.fill.isStarved, playback.starve()
    else { return }
    let position = position(of: track)
    act(.run(paused: true, reportsRefusal: false))
    // Another room is silent for as long as it likes.
    guard !track.isRoom else { return emit(.buffering(track.id)) }
    plan.server.starved(at: now)
    act(.timeline(.refill))
    log(.info, "\(track.name) comes too slowly; waiting at \(position.components.seconds) s.")
    emit(.buffering(track.id))
  }

  /// After starvation: resumes once enough has come to last.
  mutating func resumeIfFed() {
    guard phase == .buffering, let track = self[feeding], device != nil else { return }
    // Counts samples, not bytes: the bytes that a second takes differ by a factor of a hundred.
    guard track.state.isFinished || track.isRoom || world.fill.isRefilled else { return }
    act(.timeline(.endRefilling))
    guard playback.refill() else { return }
    leadIn()
    act(.run(paused: isPaused, reportsRefusal: true))
  }

  func timeOut(_ track: TrackRecord) -> PlaybackFailure {
    PlaybackFailure(
      .timedOut,
      "The server of \(track.name) sent nothing for \(configuration.networkTimeout.components.seconds) s.")
  }

  /// The track that is waited for while sound is loading or starved.
  private var awaited: Int? { self[heard]?.state.isFinished == true ? upcoming ?? heard : heard }

  /// The server of a stream in parts has answered. A demuxer waits for as long as a part lasts before it asks again for
  /// one that is refused.
  mutating func partAnswered(_ serial: Int, _ answer: ServerAnswer) {
    guard let view = world.view(serial), view.isList, let status = answer.status else { return }
    self[serial]?.information.part = answer.uri
    self[serial]?.seen.partAnswered(status: status, bytes: view.progress)
  }

  /// The server of `serial` has answered. A station that sends no more than it must does so seconds before its first page.
  ///
  /// Only the first answer counts: a server that fell silent later may answer again and again, and send nothing.
  mutating func serverAnswered(_ serial: Int) {
    guard serial == awaited, let track = self[serial], world.view(serial)?.progress == 0,
      (200..<300).contains(track.information.httpStatus)
    else { return }
    plan.server.answered(at: now)
  }

  /// Checks a track that is loading or starved.
  mutating func watchDue(_ now: MonotonicTime) {
    guard let heard = self[heard], var track = self[awaited], phase == .loading || phase == .buffering else {
      return
    }
    if track.isRoom, world.fill.queued == 0 {
      emit(.buffering(heard.id))
      return plan.server.end()
    }
    endSlowSkip(track)
    let situation = ServerWatch.Situation(
      isLoading: phase == .loading, isPaused: isPaused, hasSound: world.fill.queued > 0,
      isFinished: track.state.isFinished)
    let found = plan.server.check(
      &track.seen, bytes: world.view(track.serial)?.progress ?? 0, situation, at: now)
    self[track.serial]?.seen = track.seen
    if found.isNewWait {
      emit(.buffering(heard.id))
      unreportedEnd = nil
    }
    switch found.fault {
    case nil: break
    case .deviceStuck: return deviceFailed("it doesn't begin to play", .absent)
    case .serverSilent, .serverRefuses:
      // A variant whose server is silent says nothing of the others. Each gets the whole time.
      guard let current = self[track.serial] else { return }
      guard let variant = nextVariant(of: current) else {
        guard case .serverRefuses(let status) = found.fault else {
          return trackFailed(current, timeOut(current))
        }
        return trackFailed(current, ErrorReport.failure(uri: current.partName, status: status))
      }
      plan.server.tryAgain(at: now)
      play(variant, of: current)
    }
    then(.resumeIfFed)
  }

  // MARK: Streams in several variants

  /// A variant of an HLS stream, and those that can be tried after it.
  struct Variant {
    fileprivate var uri: String
    fileprivate var others: [String]
  }

  /// What can be tried if a variant of an HLS stream failed before any samples came.
  func nextVariant(of track: TrackRecord) -> Variant? {
    guard track.state.format == nil, track.isNetwork else { return nil }
    // The demuxer has tried the first.
    var left = track.variants ?? Array((world.view(track.serial)?.listedVariants ?? []).dropFirst())
    guard !left.isEmpty, let uri = RelativeAddress.resolved(left.removeFirst(), in: track.listURI) else {
      return nil
    }
    return Variant(uri: uri, others: left)
  }

  mutating func play(_ variant: Variant, of track: TrackRecord) {
    log(.info, "A variant of \(track.name) can't be played; trying the next one.")
    replace(track, uri: variant.uri, rawPCM: nil, variants: variant.others)
  }
}
