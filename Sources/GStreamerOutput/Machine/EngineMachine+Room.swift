import Player

/// What another room sends.
extension EngineMachine {
  mutating func handle(_ notice: RoomNotice, of serial: Int) {
    guard let track = self[serial], serial == heard else { return }
    switch notice {
    case .track(let uri, let metadata):
      emit(.streamTrack(track.id, Media(uri: uri, metadata: metadata)))
      log(.info, "The sender plays \(redacted(uri: uri)).", play: track.id)
    case .text(let text): emit(.streamText(track.id, text))
    case .began(let stream):
      emit(
        .details(
          track.id,
          StreamDetails(
            codecName: stream.codec, isLossless: stream.isLossless, bitRate: stream.bitRate,
            bitDepth: stream.bitDepth, sampleRate: stream.rate, channels: stream.channels)))
      if stream.duration > .zero { emit(.duration(track.id, stream.duration)) }
      let room = TrackRecord.Room(position: stream.position, since: now)
      self[serial]?.room = room
      log(
        .info, "Hears \(track.name): \(stream.codec), \(stream.rate) Hz, \(stream.bitDepth) bits.",
        play: track.id)
    case .halted: self[serial]?.room = nil
    case .failed(let reason):
      trackFailed(
        track, PlaybackFailure(.other, "What another room sends can't be received: \(reason)."))
    }
  }
}

/// What other rooms are sent.
extension EngineMachine {
  /// The device goes on after a pause: it plays silence first, while other rooms listen, so that they can go on with it.
  mutating func leadIn() {
    guard self[feeding]?.isRoom == false, world.isSending else { return }
    act(.timeline(.leadIn))
  }

  /// What is heard from the running time `running` on comes later, by `length` nanoseconds of silence.
  mutating func ledIn(at running: UInt, _ length: UInt) {
    guard length > 0 else { return }
    for serial in tracks.map(\.serial) { self[serial]?.state.rests(at: running, for: length) }
  }
}
