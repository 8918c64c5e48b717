import CBuild
import HTTP
import NIOCore
import Player
import Synchronization
import UPnP

/// Counts what happens in the daemon and serves it at /metrics, for Prometheus.
///
/// Only created when `[metrics]` is enabled; otherwise nothing is observed or counted. Used on the event loop.
final class MetricsSource: Sendable {
  static let path = "/metrics"

  private struct Meters: Sendable {
    var actions = ActionMeter()
    var player = PlayerMeter()
  }

  /// What doesn't change while the daemon runs.
  private let constants: MetricsText
  private let started = NIODeadline.now()
  private let player: PlayerCore
  private let server: SetOnce<DeviceServer>
  private let sound: any SoundSystem
  private let meters = Mutex(Meters())

  init(_ settings: Settings, player: PlayerCore, server: SetOnce<DeviceServer>, sound: any SoundSystem) {
    self.player = player
    self.server = server
    self.sound = sound
    constants = Self.constants(settings)
  }

  /// Starts counting.
  func begin() {
    server.value?.assumeIsolated { server in
      server.observeActions { record in self.meters.withLock { $0.actions.record(record) } }
    }
    player.assumeIsolated { player in
      _ = player.observe { old, new in self.meters.withLock { $0.player.take(old, new) } }
    }
  }

  func take(_ report: PlayerReport) { meters.withLock { $0.player.take(report) } }

  func page() -> HTTPPage {
    var text = constants
    text.add(.uptime, Double((NIODeadline.now() - started).nanoseconds) / 1e9)
    if let statistics = server.value?.assumeIsolated({ $0.statistics }) { statistics.write(to: &text) }
    ProcessUsage.now().write(to: &text)
    let (meters, state) = (meters.withLock { $0 }, player.assumeIsolated { $0.state })
    meters.actions.write(to: &text)
    meters.player.write(state, buffered: sound.buffered, to: &text)
    return HTTPPage(contentType: MetricsText.contentType, body: text.text)
  }

  private static func constants(_ settings: Settings) -> MetricsText {
    var text = MetricsText()
    text.add(.buildInfo, 1, ["version": Version.number, "commit": String(cString: cbuild_commit())])
    let place = ((try? MixerChoice(settings.audio.mixer)) ?? .software).place
    for name in MixerChoice.places { text.add(.volumeMade, name == place ? 1 : 0, ["where": name]) }
    for key in SettingsSchema.keys where key.section == "limits" {
      guard let value = key.number(in: settings) else { continue }
      text.add(.limit, value, ["key": key.name])
    }
    return text
  }
}
