import Player
import Services

/// The section `player`: the player's state as pages see it.
struct PlayerView {
  let state: PlayerState
  let facts: PageFacts
  let caster: Casters.Caster?
  /// Gives pictures an address on this server; nil for none.
  let pictures: (any PictureAddresses)?

  /// The section.
  ///
  /// - Parameters:
  ///   - version: its version.
  ///   - now: when it is sent; nil for a position of zero.
  func section(version: Int, at now: PlayerInstant?) -> API.Player {
    API.Player(
      version: version, name: facts.name, state: playbackState, standby: state.isStandby,
      source: state.activeSource.rawValue, sources: sources, track: track, next: next, format: format,
      position: API.Position(seconds: now.map { state.position(at: $0).seconds } ?? 0, age: 0),
      actions: actions, seekReason: seekReason, repeat: state.playlist.isRepeating,
      shuffle: state.playlist.isShuffling, volume: state.volume.step(of: .master),
      volumeLimit: state.volume.limit, decibels: decibels, muted: state.volume.isMuted(.master),
      balance: state.volume.balance, failure: failure, sound: sound, caster: shownCaster,
      access: facts.access == .control ? .control : .view, uploads: facts.takesUploads ? true : nil)
  }

  /// Nobody, when nothing was chosen or nothing is.
  private var shownCaster: API.Caster? {
    guard state.currentTrack != nil, let caster else { return nil }
    return API.Caster(
      address: caster.address, agent: caster.agent.isEmpty ? nil : caster.agent,
      isPage: caster.isPage ? true : nil)
  }

  private var playbackState: API.Player.State {
    switch state.phase {
    case .stopped: .stopped
    case .buffering: .buffering
    case .playing: .playing
    case .paused: .paused
    }
  }

  private var sources: [API.Source] {
    state.sources.map { kind in
      let known = facts.sources.first { $0.kind == kind }
      return API.Source(
        id: API.Source.Id(kind), name: known?.name ?? kind.defaultName, isVisible: known?.isVisible ?? true)
    }
  }

  private var track: API.Track? {
    guard let media = state.currentTrack, let shown = ShownTrack(state) else { return nil }
    let id = state.activeSource == .playlist ? Int(state.playlist.currentID) : nil
    var track = API.Track(
      shown, of: media, id: id, duration: state.duration, isLive: state.isLive && state.transport != .stopped,
      picture: { pictures?.address(of: $0) })
    if track.art == nil, let picture = state.facts.tags?.picture {
      track.art = pictures?.address(of: picture)
    }
    return track
  }

  private var next: API.Track? {
    guard let media = state.nextTrack else { return nil }
    return API.Track(ShownTrack(media), of: media, duration: media.durationHint) { pictures?.address(of: $0) }
  }

  private var format: API.Format? {
    guard let details = state.facts.details, !details.codecName.isEmpty else { return nil }
    var verdict: String?
    if case .open(_, let path) = state.device { verdict = path.verdict }
    return API.Format(
      codec: details.codecName, sampleRate: details.sampleRate > 0 ? details.sampleRate : nil,
      bitDepth: details.bitDepth > 0 ? details.bitDepth : nil,
      channels: details.channels > 0 ? details.channels : nil, bitRate: details.bitRate,
      isLossless: details.isLossless, bitPerfect: verdict)
  }

  private var actions: [API.Player.Action] {
    let possible = state.activeActions
    return API.Player.Action.allCases.filter { possible.contains($0.ofPlayer) }
  }

  private var seekReason: String? {
    if state.activeActions.contains(.seek) { return nil }
    if state.isStandby { return "The speaker is in standby." }
    if state.currentTrack == nil { return "Nothing is chosen." }
    return state.isLive
      ? "This is a live stream, which has no positions to go to."
      : "The server doesn't send this track from another position."
  }

  /// Nil when nothing is heard.
  private var decibels: Double? {
    let level = state.volume.decibels(of: .master)
    guard level > state.volume.decibelRange.lowerBound else { return nil }
    return (Double(level) / 256 * 10).rounded() / 10
  }

  private var failure: API.Failure? {
    state.failure.map { API.Failure(reason: $0.kind.word, detail: $0.message, cure: $0.kind.cure) }
  }

  var sound: API.Sound {
    let problem: String? =
      switch state.device {
      case .closed, .open: nil
      case .silent(let text), .away(let text): text
      }
    return API.Sound(
      isOpen: state.device.isOpen, name: facts.output, problem: problem,
      mixer: facts.mixer.isEmpty ? nil : facts.mixer)
  }
}

extension API.Track {
  init(
    _ shown: ShownTrack, of media: Media, id: Int? = nil, duration: Duration?, isLive: Bool = false,
    picture: (String) -> String?
  ) {
    self.init(
      id: id, uri: redacted(uri: media.uri), title: shown.title, artist: shown.artist, album: shown.album,
      seconds: duration?.seconds, art: shown.picture.flatMap(picture), station: shown.station,
      isLive: isLive ? true : nil)
  }
}

extension API.Source.Id {
  init(_ kind: SourceKind) {
    switch kind {
    case .playlist: self = .playlist
    case .radio: self = .radio
    case .receiver: self = .receiver
    case .upnpAV: self = .upnpAv
    }
  }
}

extension API.Player.Action {
  fileprivate var ofPlayer: TransportAction {
    switch self {
    case .play: .play
    case .pause: .pause
    case .stop: .stop
    case .next: .next
    case .previous: .previous
    case .seek: .seek
    }
  }
}

extension PlaybackFailure.Kind {
  /// What to do about it, where `PlaybackFailure` doesn't say the key.
  var cure: String? {
    switch self {
    case .device:
      "The device is set by output in the section [audio]; vireod --list-outputs shows what there is."
    default: nil
    }
  }

  /// The word of the API for it, which stays the same.
  var word: String {
    switch self {
    case .notFound: "not-found"
    case .forbidden: "forbidden"
    case .unreachable: "unreachable"
    case .untrusted: "untrusted"
    case .timedOut: "timed-out"
    case .tooManyRedirects: "too-many-redirects"
    case .refusedURI: "address-refused"
    case .unsupportedFormat: "unsupported-format"
    case .missingDecoder: "missing-decoder"
    case .corrupt: "corrupt"
    case .serverFault: "server-fault"
    case .device: "device"
    case .other: "other"
    }
  }
}

extension Duration {
  /// In seconds, to the millisecond.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + (Double(attoseconds) / 1e15).rounded() / 1000
  }
}
