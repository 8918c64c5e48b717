import CoreMetrics
import Player

/// Records metrics of the player.
struct PlayerMeter: Sendable {
  private let started: Counter
  private let gapless: Counter
  private let underruns: Counter
  private let stationsLost: Counter
  private let failures: [PlaybackFailure.Kind: Counter]
  private let states: [(name: String, gauge: Gauge)]
  private let devices: [(name: String, gauge: Gauge)]
  private let rate: Gauge
  private let depth: Gauge
  private let resampled: Gauge
  private let bitPerfect: Gauge
  private let volume: Gauge
  private let muted: Gauge
  private let buffer: Gauge

  init(factory: any MetricsFactory) {
    started = Metric.tracksStarted.counter(in: factory)
    gapless = Metric.tracksGapless.counter(in: factory)
    underruns = Metric.underruns.counter(in: factory)
    stationsLost = Metric.stationsLost.counter(in: factory)
    failures = Dictionary(
      uniqueKeysWithValues: PlaybackFailure.Kind.allCases.map {
        ($0, Metric.playbackFailures.counter(in: factory, [("kind", "\($0)")]))
      })
    states = ["stopped", "loading", "buffering", "playing", "paused", "reconnecting"].map {
      ($0, Metric.playerState.gauge(in: factory, [("state", $0)]))
    }
    devices = ["closed", "open", "silent", "away"].map {
      ($0, Metric.soundDevice.gauge(in: factory, [("state", $0)]))
    }
    rate = Metric.soundRate.gauge(in: factory)
    depth = Metric.soundDepth.gauge(in: factory)
    resampled = Metric.soundResampled.gauge(in: factory)
    bitPerfect = Metric.bitPerfect.gauge(in: factory)
    volume = Metric.volume.gauge(in: factory)
    muted = Metric.muted.gauge(in: factory)
    buffer = Metric.buffered.gauge(in: factory)
  }

  func take(_ old: PlayerState, _ new: PlayerState) {
    switch new.transport {
    case .playing(let id):
      switch old.transport {
      case .loading: started.increment()
      case .playing(let before) where before != id:
        started.increment()
        gapless.increment()
      case .stopped, .resolving, .buffering, .playing, .paused, .reconnecting, .suspended: break
      }
    case .paused: if case .loading = old.transport { started.increment() }
    case .buffering:
      // Waiting for the sound device is no underrun.
      if case .away = new.device { break }
      if case .playing = old.transport { underruns.increment() }
    case .reconnecting: if old.transport != new.transport { stationsLost.increment() }
    case .stopped, .resolving, .loading, .suspended: break
    }
    if let failure = new.failure, failure != old.failure { failures[failure.kind]?.increment() }
  }

  /// Records the player's current state.
  ///
  /// - Parameters:
  ///   - state: The player's state.
  ///   - buffered: How much of the current track is buffered.
  func show(_ state: PlayerState, buffered: Duration) {
    let now = Self.name(of: state.transport)
    for (name, gauge) in states { gauge.record(name == now ? 1 : 0) }
    show(state.device)
    volume.record(state.volume.step(of: .master))
    muted.record(state.volume.isMuted(.master) ? 1 : 0)
    buffer.record(buffered / .seconds(1))
  }

  private func show(_ device: DeviceReport) {
    var (name, path) = ("closed", SoundPath?.none)
    switch device {
    case .closed: break
    case .open(_, let open): (name, path) = ("open", open)
    case .silent: name = "silent"
    case .away: name = "away"
    }
    for (state, gauge) in devices { gauge.record(state == name ? 1 : 0) }
    rate.record(path?.delivered.rate ?? 0)
    depth.record(path?.delivered.depth ?? 0)
    resampled.record(path?.isResampled == true ? 1 : 0)
    bitPerfect.record(path?.isBitPerfect == true ? 1 : 0)
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
