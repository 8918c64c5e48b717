import CBuild
import NIOCore
import Player
import Synchronization
import UPnP

/// Collects what /metrics shows. Made only when `[metrics]` is enabled: otherwise nothing is observed or counted.
///
/// Used on the event loop. Prometheus' text is written directly: of swift-metrics only the façade would be used, with
/// a second registry behind it, and its module `Metrics` brings FoundationEssentials into the daemon.
final class MetricsSource: Sendable {
  static let path = "/metrics"

  private struct Meters: Sendable {
    var actions = ActionMeter()
    var player = PlayerMeter()
  }

  private let started = NIODeadline.now()
  private let player: PlayerCore
  private let host: LateBound<DeviceHost>
  private let limits: LimitMeter
  private let meters = Mutex(Meters())

  /// - Parameter settings: As they were at the start: limits change with a restart only.
  init(player: PlayerCore, host: LateBound<DeviceHost>, settings: Settings) {
    limits = LimitMeter(settings: settings)
    self.player = player
    self.host = host
  }

  /// Begins to count.
  func begin() {
    host.value?.assumeIsolated { host in
      host.observeActions { record in self.meters.withLock { $0.actions.record(record) } }
    }
    player.assumeIsolated { player in
      _ = player.observe { old, new in self.meters.withLock { $0.player.take(old, new) } }
    }
  }

  func page() -> HTTPPage {
    HTTPPage(contentType: MetricsText.contentType, body: text())
  }

  private func text() -> String {
    var text = MetricsText()
    text.metric("vireo_build_info", .gauge, "Always 1.")
    text.sample(["version": Version.number, "commit": String(cString: cbuild_commit())], 1)
    let uptime = Double((NIODeadline.now() - started).nanoseconds) / 1e9
    text.single("vireo_uptime_seconds", .gauge, "Time since the start.", uptime)
    let meters = meters.withLock { $0 }
    player.assumeIsolated { meters.player.write(to: &text, state: $0.state) }
    meters.actions.write(to: &text)
    host.value?.assumeIsolated { $0.statistics.write(to: &text) }
    limits.write(to: &text)
    ProcessMeter.now().write(to: &text)
    return text.text
  }
}

extension HostStatistics {
  func write(to text: inout MetricsText) {
    text.single("vireo_http_requests_total", .counter, "Requests that were answered.", requests)
    text.single("vireo_http_connections", .gauge, "Connections open now.", connections)
    text.metric("vireo_refusals_total", .counter, "What was refused, by reason.")
    for reason in Refusal.allCases {
      text.sample(["reason": reason.rawValue], refusals[reason] ?? 0)
    }
    text.single("vireo_subscriptions", .gauge, "Event subscriptions now.", subscriptions)
    text.single(
      "vireo_subscriptions_dropped_total", .counter, "Subscriptions whose subscriber was gone.",
      subscriptionsDropped)
    text.metric("vireo_events_total", .counter, "Event messages, by what became of them.")
    text.sample(["outcome": "delivered"], eventsDelivered)
    text.sample(["outcome": "failed"], eventsFailed)
  }
}
