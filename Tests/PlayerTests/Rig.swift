import Pins

@testable import Player

extension Media {
  static func track(_ name: String, duration: Duration? = nil) -> Media {
    Media(uri: "http://server/\(name).flac", metadata: "<\(name)>", durationHint: duration)
  }

  static func container(_ name: String) -> Media { Media(uri: "http://server/\(name).m3u") }
}

extension OutputRequest {
  /// The request without its payload, for tables.
  var name: String {
    switch self {
    case .prepare: "prepare"
    case .start: "start"
    case .pause: "pause"
    case .resume: "resume"
    case .stop: "stop"
    case .seek: "seek"
    case .setNext(let track): track == nil ? "clearNext" : "setNext"
    case .setGain: "setGain"
    case .release: "release"
    }
  }
}

let a = Media.track("a")
let b = Media.track("b")
let c = Media.track("c")
let broken = PlaybackFailure(.corrupt, "broken")

/// A state, a fake clock, and what the last input brought about.
struct Rig {
  var state: PlayerState
  var now = PlayerInstant(nanoseconds: 1_000_000_000)
  var requests: [OutputRequest] = []
  var reports: [PlayerReport] = []
  var lastResolve: ResolveID?
  var lastWake: WakeID?
  var lastPause: Duration?
  /// What was stored since the beginning.
  var stored: [PlayerSnapshot] = []
  var refreshes = 0
  /// The pin that is looked for.
  var lastPin: (id: ResolveID, pin: Pin)?

  init(_ configuration: PlayerConfiguration = PlayerConfiguration(), snapshot: PlayerSnapshot? = nil) {
    state = PlayerState(configuration: configuration, snapshot: snapshot)
  }

  /// The attempt that the output is at; #0 when there is none.
  var id: PlayID { state.transport.playID ?? PlayID(0) }
  var nextID: PlayID { state.offer?.track.id ?? PlayID(0) }
  var position: Duration { state.position(at: now) }
  var shown: AVTransportState { state.avTransportState }
  var requestNames: [String] { requests.map(\.name) }

  mutating func wait(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    now = PlayerInstant(nanoseconds: now.nanoseconds + nanoseconds)
  }

  mutating func attempt(_ command: Command) throws(PlayerError) {
    (requests, reports) = ([], [])
    take(try state.apply(command, at: now))
  }

  /// A command that must be accepted; a refusal shows as a failed test because the state doesn't change.
  mutating func perform(_ commands: Command...) {
    for command in commands { try? attempt(command) }
  }

  mutating func receive(_ events: OutputEvent...) {
    (requests, reports) = ([], [])
    for event in events { take(state.apply(event, at: now)) }
  }

  mutating func answer(_ resolution: Resolution, of id: ResolveID? = nil) {
    (requests, reports) = ([], [])
    guard let id = id ?? lastResolve else { return }
    take(state.apply(resolution, of: id, at: now))
  }

  /// What the output says when it succeeds with the current attempt.
  mutating func start() { receive(.started(id), .playing(id, position: position)) }

  private mutating func take(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .output(let request): requests.append(request)
      case .report(let report): reports.append(report)
      case .resolve(let id, _): lastResolve = id
      case .wake(let time, let id): (lastWake, lastPause) = (id, time)
      case .store: stored.append(state.snapshot)
      case .refreshPresets: refreshes += 1
      case .findPin(let id, let pin): lastPin = (id, pin)
      case .stopFindingPin: lastPin = nil
      }
    }
  }

  // MARK: States to begin with

  static func playing(_ media: Media = a, configuration: PlayerConfiguration = .init()) -> Rig {
    var rig = Rig(configuration)
    rig.av(.setMedia(media), .play)
    rig.start()
    return rig
  }

  static func playing(_ entries: [Media], mode: PlayMode = .normal, seed: UInt64 = 0) -> Rig {
    var rig = Rig(PlayerConfiguration(shuffleSeed: seed))
    rig.av(.setPlayMode(mode), .setMedia(.container("list")), .play)
    rig.answer(.entries(entries))
    rig.start()
    return rig
  }
}

/// Every situation that the state table distinguishes.
enum Situation: CaseIterable {
  case noMedia, stopped, resolving, loading, pausedWhileLoading, playing, buffering, paused, cued

  var rig: Rig {
    var rig = Rig()
    switch self {
    case .noMedia: break
    case .stopped: rig.av(.setMedia(a))
    case .resolving: rig.av(.setMedia(.container("list")), .play)
    case .loading: rig.av(.setMedia(a), .play)
    case .pausedWhileLoading: rig.av(.setMedia(a), .play, .pause)
    case .playing: rig = .playing()
    case .buffering:
      rig = .playing()
      rig.receive(.buffering(rig.id))
    case .paused:
      rig = .playing()
      rig.av(.pause)
      rig.receive(.paused(rig.id, position: rig.position))
    case .cued:
      rig = Situation.paused.rig
      rig.av(.setMedia(b))
    }
    (rig.requests, rig.reports) = ([], [])
    return rig
  }
}
