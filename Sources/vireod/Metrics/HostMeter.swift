import CoreMetrics
import HTTP
import UPnP

/// Records the statistics of the HTTP server.
struct HostMeter: Sendable {
  private var requests: Total
  private var refusals: [RefusalReason: Total]
  private var delivered: Total
  private var failed: Total
  private var dropped: Total
  private let connections: Gauge
  private let subscriptions: Gauge

  init(factory: any MetricsFactory) {
    requests = Metric.httpRequests.total(in: factory)
    refusals = Dictionary(
      uniqueKeysWithValues: RefusalReason.all.map {
        ($0, Metric.refusals.total(in: factory, [("reason", $0.name)]))
      })
    delivered = Metric.events.total(in: factory, [("outcome", "delivered")])
    failed = Metric.events.total(in: factory, [("outcome", "failed")])
    dropped = Metric.subscriptionsDropped.total(in: factory)
    connections = Metric.httpConnections.gauge(in: factory)
    subscriptions = Metric.subscriptions.gauge(in: factory)
  }

  mutating func show(_ statistics: HostStatistics) {
    requests.reach(statistics.requests)
    for (reason, count) in statistics.refusals { refusals[reason]?.reach(count) }
    delivered.reach(statistics.eventsDelivered)
    failed.reach(statistics.eventsFailed)
    dropped.reach(statistics.subscriptionsDropped)
    connections.record(statistics.connections)
    subscriptions.record(statistics.subscriptions)
  }
}
