import Pins

/// Commands of the pins (OpenHome Pins:1), and how a pin plays.
extension Transition {
  mutating func perform(_ command: PinCommand) throws(PlayerError) {
    do throws(PinError) {
      switch command {
      case .set(let pin, let index):
        // An earlier run may have given ids that it didn't save.
        state.pins.reserve(through: state.playlist.firstID - 1)
        try state.pins.set(pin, at: index)
      case .clear(let id): try state.pins.clear(id)
      case .swap(let first, let second): try state.pins.swap(first, second)
      case .move(let id, let index): try state.pins.move(id, to: index)
      case .play(let pin): play(pin)
      }
    } catch {
      throw error == .idNotFound ? .pinNotFound : .pinIndexOutOfRange
    }
  }

  private mutating func play(_ pin: Pin) {
    let id = state.makeResolveID()
    state.pinPlay = PinPlay(id: id, pin: pin, progress: .finding)
    find(pin, id)
  }

  /// Something else is chosen: the pin that is still looked for isn't wanted any more.
  mutating func dropPin() {
    guard state.pinPlay?.progress == .finding else { return }
    state.pinPlay?.progress = .dropped
    stopFindingPin()
  }

  /// Plays what a pin stands for. A late answer changes nothing.
  mutating func found(_ finding: PinFinding, of id: ResolveID) {
    guard let pinPlay = state.pinPlay, pinPlay.id == id, pinPlay.progress == .finding else { return }
    let failure = refusal(of: finding) ?? play(finding, isShuffled: pinPlay.pin.isShuffled)
    state.pinPlay?.progress = failure.map { .failed($0) } ?? .done
    guard let failure else { return }
    report(.pinFailed(pinPlay.pin, failure))
    // What plays plays on.
    if state.transport == .stopped { state.failure = failure }
  }

  /// Why there is nothing that could be played.
  private func refusal(of finding: PinFinding) -> PlaybackFailure? {
    switch finding {
    case .nothing(let failure): failure
    case .station(let media): state.configuration.uriPolicy.allows(media.uri) ? nil : .refused
    case .preset(let id):
      state.radio.preset(id) != nil && state.sources.contains(.radio)
        ? nil : PlaybackFailure(.notFound, "There is no preset \(id).")
    case .source(let source):
      state.sources.contains(source)
        ? nil : PlaybackFailure(.notFound, "The source of this pin is switched off.")
    case .tracks(let tracks):
      tracks.isEmpty
        ? PlaybackFailure(.unsupportedFormat, "There is nothing in it that this speaker can play.") : nil
    }
  }

  private mutating func play(_ finding: PinFinding, isShuffled: Bool) -> PlaybackFailure? {
    do throws(PlayerError) {
      switch finding {
      case .nothing(let failure): return failure
      case .station(let media): try play(media)
      case .preset(let id):
        try perform(RadioCommand.setID(id, uri: ""))
        try perform(RadioCommand.play)
      case .source(let source): try setSource(source)
      case .tracks(let tracks): try play(tracks, isShuffled: isShuffled)
      }
      return nil
    } catch {
      return PlaybackFailure(.other, "The player refuses it: \(error).")
    }
  }

  private mutating func play(_ media: Media) throws(PlayerError) {
    guard state.sources.contains(.radio) else { return try cast(media) }
    try perform(RadioCommand.setChannel(media))
    try perform(RadioCommand.play)
  }

  private mutating func play(_ tracks: [Media], isShuffled: Bool) throws(PlayerError) {
    guard let first = tracks.first else { return }
    guard state.sources.contains(.playlist) else { return try cast(first) }
    try perform(PlaylistCommand.deleteAll)
    try perform(PlaylistCommand.setShuffle(isShuffled))
    try perform(PlaylistCommand.insertEach(after: 0, tracks))
    guard !isShuffled, let id = state.playlist.tracks.ids.first else {
      return try perform(PlaylistCommand.play)
    }
    try perform(PlaylistCommand.playID(id))
  }

  /// Plays as a control point's cast, where there are no sources of OpenHome.
  private mutating func cast(_ media: Media) throws(PlayerError) {
    try perform(AVCommand.setMedia(media))
    try perform(AVCommand.play)
  }
}

extension Command {
  /// Whether it decides what is heard, so that a pin that is still looked for isn't wanted any more.
  var decidesWhatPlays: Bool {
    switch self {
    case .av(let command):
      switch command {
      case .setNextMedia, .setPlayMode: false
      case .setMedia, .play, .pause, .stop, .seek, .seekTrack, .next, .previous: true
      }
    case .playlist(let command): command.isTransport
    case .radio(let command):
      switch command {
      case .setPresets, .refreshPresets: false
      case .setChannel, .setID, .play, .pause, .stop, .seek, .skip: true
      }
    case .receiver(let command): command != .resumeAfterStart
    case .pins(let command): if case .play = command { true } else { false }
    case .transport, .setSource: true
    case .zone(let command): command.decidesWhatPlays
    case .setStandby(let isStandby): isStandby
    case .setVolume, .setVolumeDecibels, .setMute, .restoreFactoryDefaults, .changeVolume, .setBalance,
      .moveBalance, .setTrim, .setVolumeOffset, .leaveStandby, .configure, .setMIMETypes, .senderChanged,
      .wake:
      false
    }
  }
}
