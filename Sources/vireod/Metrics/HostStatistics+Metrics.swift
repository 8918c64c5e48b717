import UPnP

extension HostStatistics {
  /// Writes the statistics of the HTTP server. A reason shows as 0 before anything is refused for it.
  func write(to text: inout MetricsText) {
    text.add(.httpRequests, requests)
    for reason in RefusalReason.allCases {
      text.add(.refusals, refusals[reason] ?? 0, ["reason": reason.rawValue])
    }
    text.add(.events, eventsDelivered, ["outcome": "delivered"])
    text.add(.events, eventsFailed, ["outcome": "failed"])
    text.add(.subscriptionsDropped, subscriptionsDropped)
    text.add(.httpConnections, connections)
    text.add(.subscriptions, subscriptions)
  }
}
