import Player

/// Counts what happens in the player.
struct PlayerMeter: Sendable {
  private static let states = ["stopped", "loading", "buffering", "playing", "paused", "reconnecting"]
  private static let devices = ["closed", "open", "silent", "away"]

  private var started = 0
  private var gapless = 0
  private var underruns = 0
  private var stationsLost = 0
  private var failures: [PlaybackFailure.Kind: Int] = [:]

  mutating func take(_ old: PlayerState, _ new: PlayerState) {
    switch new.transport {
    case .playing(let id):
      switch old.transport {
      case .loading: started += 1
      case .playing(let before) where before != id:
        started += 1
        gapless += 1
      case .stopped, .resolving, .buffering, .playing, .paused, .reconnecting, .suspended: break
      }
    case .paused: if case .loading = old.transport { started += 1 }
    case .buffering:
      // Waiting for the sound device is no underrun.
      if case .away = new.device { break }
      if case .playing = old.transport { underruns += 1 }
    case .reconnecting: if old.transport != new.transport { stationsLost += 1 }
    case .stopped, .resolving, .loading, .suspended: break
    }
  }

  mutating func take(_ report: PlayerReport) {
    switch report {
    case .failed(_, let failure), .skipped(_, let failure): failures[failure.kind, default: 0] += 1
    case .started, .finished, .gaveUp, .opened, .lost, .pinFailed, .volumeLimited: break
    }
  }

  /// Writes what was counted, and the player's current state.
  ///
  /// - Parameters:
  ///   - state: The player's state.
  ///   - buffered: How much of the current track is buffered.
  ///   - text: What it is written to.
  func write(_ state: PlayerState, buffered: Duration, to text: inout MetricsText) {
    text.add(.tracksStarted, started)
    text.add(.tracksGapless, gapless)
    text.add(.underruns, underruns)
    text.add(.stationsLost, stationsLost)
    for kind in PlaybackFailure.Kind.allCases {
      text.add(.playbackFailures, failures[kind] ?? 0, ["kind": "\(kind)"])
    }
    let now = Self.name(of: state.transport)
    for name in Self.states { text.add(.playerState, name == now ? 1 : 0, ["state": name]) }
    write(state.device, to: &text)
    text.add(.volume, state.volume.step(of: .master))
    text.add(.muted, state.volume.isMuted(.master) ? 1 : 0)
    text.add(.buffered, buffered / .seconds(1))
  }

  private func write(_ device: DeviceReport, to text: inout MetricsText) {
    var (now, path) = ("closed", SoundPath?.none)
    switch device {
    case .closed: break
    case .open(_, let open): (now, path) = ("open", open)
    case .silent: now = "silent"
    case .away: now = "away"
    }
    for name in Self.devices { text.add(.soundDevice, name == now ? 1 : 0, ["state": name]) }
    text.add(.soundRate, path?.delivered.rate ?? 0)
    text.add(.soundDepth, path?.delivered.depth ?? 0)
    text.add(.soundResampled, path?.isResampled == true ? 1 : 0)
    text.add(.bitPerfect, path?.isBitPerfect == true ? 1 : 0)
  }

  private static func name(of transport: Transport) -> String {
    switch transport {
    case .stopped: "stopped"
    case .buffering: "buffering"
    case .playing: "playing"
    case .paused, .suspended: "paused"
    case .resolving, .loading: "loading"
    case .reconnecting: "reconnecting"
    }
  }
}
