import UPnP

/// Counts actions and measures their duration.
///
/// The number of series is bounded by the actions and errors that the services describe.
struct ActionMeter: Sendable {
  private struct Key: Sendable, Hashable {
    var service: String
    var action: String
    var fault: Int?
  }

  private var counts: [Key: Int] = [:]
  private var durations: [String: Histogram] = [:]

  mutating func record(_ record: ActionRecord) {
    let action = record.action.isEmpty ? "unknown" : record.action
    var key = Key(service: record.service, action: action)
    counts[key, default: 0] += 1
    if let fault = record.fault {
      key.fault = fault
      counts[key, default: 0] += 1
    }
    durations[record.service, default: Histogram()].record(nanoseconds: record.nanoseconds)
  }

  func write(to text: inout MetricsText) {
    for (key, count) in counts {
      if let fault = key.fault {
        let labels: KeyValuePairs = ["service": key.service, "action": key.action, "code": String(fault)]
        text.add(.actionFaults, count, labels)
      } else {
        text.add(.actions, count, ["service": key.service, "action": key.action])
      }
    }
    for (service, histogram) in durations { text.add(.actionDuration, histogram, ["service": service]) }
  }
}
