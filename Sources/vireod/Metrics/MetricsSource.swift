import CBuild
import CoreMetrics
import HTTP
import NIOCore
import Player
import Synchronization
import UPnP

/// Records metrics through swift-metrics and serves them at /metrics.
///
/// Only created when `[metrics]` is enabled; otherwise nothing is observed or counted. Used on the event loop. Of
/// swift-metrics, only `CoreMetrics` is used, since its module `Metrics` would link FoundationEssentials into the
/// daemon.
final class MetricsSource: Sendable {
  static let path = "/metrics"

  private struct Meters: Sendable {
    var actions: ActionMeter
    var player: PlayerMeter
    var host: HostMeter
    var process: ProcessMeter
  }

  /// Libraries in this process also record their metrics here, through swift-metrics.
  let registry = MetricsRegistry()
  private let started = NIODeadline.now()
  private let uptime: Gauge
  private let player: PlayerCore
  private let host: SetOnce<DeviceHost>
  private let sound: any SoundSystem
  private let meters: Mutex<Meters>

  init(_ settings: Settings, player: PlayerCore, host: SetOnce<DeviceHost>, sound: any SoundSystem) {
    self.player = player
    self.host = host
    self.sound = sound
    uptime = Metric.uptime.gauge(in: registry)
    meters = Mutex(
      Meters(
        actions: ActionMeter(factory: registry), player: PlayerMeter(factory: registry),
        host: HostMeter(factory: registry), process: ProcessMeter(factory: registry)))
    let build = [("version", Version.number), ("commit", String(cString: cbuild_commit()))]
    Metric.buildInfo.gauge(in: registry, build).record(1)
    let place = ((try? MixerChoice(settings.audio.mixer)) ?? .software).place
    for name in MixerChoice.places {
      Metric.volumeMade.gauge(in: registry, [("where", name)]).record(name == place ? 1 : 0)
    }
    for key in SettingsSchema.keys where key.section == "limits" {
      guard let value = key.number(in: settings) else { continue }
      Metric.limit.gauge(in: registry, [("key", key.name)]).record(value)
    }
  }

  /// Starts counting.
  func begin() {
    host.value?.assumeIsolated { host in
      host.observeActions { record in self.meters.withLock { $0.actions.record(record) } }
    }
    player.assumeIsolated { player in
      _ = player.observe { old, new in self.meters.withLock { $0.player.take(old, new) } }
    }
  }

  func page() -> HTTPPage {
    look()
    var text = MetricsText()
    text.write(registry.all()) { Metric(rawValue: $0)?.help }
    return HTTPPage(contentType: MetricsText.contentType, body: text.text)
  }

  /// Records values that have to be polled.
  private func look() {
    let (statistics, cost) = (host.value?.assumeIsolated { $0.statistics }, ProcessUsage.now())
    uptime.record(Double((NIODeadline.now() - started).nanoseconds) / 1e9)
    player.assumeIsolated { player in
      let buffered = sound.buffered
      meters.withLock { meters in
        meters.player.show(player.state, buffered: buffered)
        if let statistics { meters.host.show(statistics) }
        meters.process.show(cost)
      }
    }
  }
}
