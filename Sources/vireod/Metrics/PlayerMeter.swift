import Player

/// Counts what the player does.
struct PlayerMeter: Sendable {
  private(set) var started = 0
  private(set) var gapless = 0
  private(set) var underruns = 0
  private(set) var lostStations = 0
  private(set) var failures: [String: Int] = [:]

  mutating func take(_ old: PlayerState, _ new: PlayerState) {
    switch new.transport {
    case .playing(let id):
      switch old.transport {
      case .loading: started += 1
      case .playing(let before) where before != id:
        started += 1
        gapless += 1
      case .stopped, .resolving, .buffering, .playing, .paused, .reconnecting: break
      }
    case .paused: if case .loading = old.transport { started += 1 }
    case .buffering: if case .playing = old.transport { underruns += 1 }
    case .reconnecting: if old.transport != new.transport { lostStations += 1 }
    case .stopped, .resolving, .loading: break
    }
    if let failure = new.failure, failure != old.failure {
      failures["\(failure.kind)", default: 0] += 1
    }
  }

  func write(to text: inout MetricsText, state: PlayerState) {
    text.single("vireo_tracks_started_total", .counter, "Tracks that were heard.", started)
    text.single(
      "vireo_tracks_gapless_total", .counter, "Of those, the ones that followed without a gap.", gapless)
    text.single("vireo_underruns_total", .counter, "Times that sound broke off to wait for data.", underruns)
    text.single(
      "vireo_stations_lost_total", .counter, "Times that a station broke off, or wasn't there again yet.",
      lostStations)
    text.metric("vireo_playback_failures_total", .counter, "Failures that ended playback, by kind.")
    for (kind, count) in failures.sorted(by: { $0.key < $1.key }) { text.sample(["kind": kind], count) }
    text.metric("vireo_player_state", .gauge, "1 for what the player does now.")
    let now = Self.name(of: state.transport)
    for name in Self.names { text.sample(["state": name], name == now) }
    text.single("vireo_volume", .gauge, "Volume, 0 to 100.", state.volume.step(of: .master))
    text.single("vireo_muted", .gauge, "1 while muted.", state.volume.isMuted(.master))
  }

  private static let names = ["stopped", "loading", "buffering", "playing", "paused", "reconnecting"]

  private static func name(of transport: Transport) -> String {
    switch transport {
    case .stopped: "stopped"
    case .buffering: "buffering"
    case .playing: "playing"
    case .paused: "paused"
    case .resolving, .loading: "loading"
    case .reconnecting: "reconnecting"
    }
  }
}
