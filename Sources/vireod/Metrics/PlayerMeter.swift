import CoreMetrics
import Player

/// Counts what the player does.
struct PlayerMeter: Sendable {
  private let started: Counter
  private let gapless: Counter
  private let underruns: Counter
  private let stationsLost: Counter
  private let failures: [PlaybackFailure.Kind: Counter]
  private let states: [(name: String, gauge: Gauge)]
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
      case .stopped, .resolving, .buffering, .playing, .paused, .reconnecting: break
      }
    case .paused: if case .loading = old.transport { started.increment() }
    case .buffering: if case .playing = old.transport { underruns.increment() }
    case .reconnecting: if old.transport != new.transport { stationsLost.increment() }
    case .stopped, .resolving, .loading: break
    }
    if let failure = new.failure, failure != old.failure { failures[failure.kind]?.increment() }
  }

  /// - Parameter buffered: Sound of the current track that lies ready.
  func show(_ state: PlayerState, buffered: Duration) {
    let now = Self.name(of: state.transport)
    for (name, gauge) in states { gauge.record(name == now ? 1 : 0) }
    volume.record(state.volume.step(of: .master))
    muted.record(state.volume.isMuted(.master) ? 1 : 0)
    buffer.record(buffered / .seconds(1))
  }

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
