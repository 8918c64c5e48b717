/// Commands of the receiver source (OpenHome Receiver:1).
extension Transition {
  mutating func perform(_ command: ReceiverCommand) {
    switch command {
    case .setSender(let media): setSender(media)
    case .play: listen()
    case .stop: if state.isActive(.receiver) { stopReceiver() }
    case .resumeAfterStart:
      let resumes =
        state.receiver.awaitsResumption && state.isActive(.receiver) && state.transport == .stopped
      state.receiver.awaitsResumption = false
      if resumes { listen() }
    }
  }

  private mutating func setSender(_ media: Media) {
    let listens = state.isActive(.receiver) && state.transport.continuation == .playing
    if !media.uri.isEmpty {
      activate(.receiver)
      state.castOver = nil
    }
    state.receiver.awaitsResumption = false
    guard state.receiver.choose(media), state.activeSource == .receiver else { return }
    halt()
    state.facts = TrackFacts()
    state.failure = nil
    if listens, !media.uri.isEmpty { begin(.playing) }
  }

  private mutating func listen() {
    activate(.receiver)
    state.castOver = nil
    state.receiver.awaitsResumption = false
    guard state.receiver.sender != nil else { return }
    state.failure = nil
    run()
  }

  mutating func stopReceiver() {
    state.receiver.awaitsResumption = false
    halt()
  }

  /// What the sender plays is no longer heard, so it is no longer known.
  mutating func receiverLeft() {
    state.receiver.awaitsResumption = false
    state.receiver.forgetStream()
  }

  /// The sender plays another track.
  mutating func streamTrackChanged(_ media: Media) {
    state.change(state.activeSource, .streamTrack(media))
    state.facts.duration = nil
    state.facts.tags = nil
  }
}
