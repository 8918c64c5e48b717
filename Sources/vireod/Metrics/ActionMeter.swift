import UPnP

/// Counts actions and how long they took. Bounded by the actions that services describe and the errors they have.
struct ActionMeter: Sendable {
  struct Key: Sendable, Hashable, Comparable {
    var service: String
    var action: String

    static func < (left: Key, right: Key) -> Bool {
      (left.service, left.action) < (right.service, right.action)
    }
  }

  /// Upper bounds of the histogram's classes, in microseconds.
  static let bounds: [Int64] = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000]

  struct Latency: Sendable, Equatable {
    /// Not cumulative; one more than ``bounds``.
    var classes = [Int](repeating: 0, count: ActionMeter.bounds.count + 1)
    var nanoseconds: Int64 = 0

    mutating func add(_ value: Int64) {
      nanoseconds += value
      classes[ActionMeter.bounds.firstIndex { value <= $0 * 1000 } ?? ActionMeter.bounds.count] += 1
    }
  }

  private(set) var actions: [Key: Int] = [:]
  private(set) var faults: [Key: [Int: Int]] = [:]
  private(set) var latencies: [String: Latency] = [:]

  mutating func record(_ record: ActionRecord) {
    let key = Key(service: record.service, action: record.action.isEmpty ? "unknown" : record.action)
    actions[key, default: 0] += 1
    if let code = record.fault { faults[key, default: [:]][code, default: 0] += 1 }
    latencies[record.service, default: Latency()].add(record.nanoseconds)
  }

  func write(to text: inout MetricsText) {
    text.metric("vireo_actions_total", .counter, "Actions, failed ones included.")
    for (key, count) in actions.sorted(by: { $0.key < $1.key }) {
      text.sample(["service": key.service, "action": key.action], count)
    }
    text.metric("vireo_action_faults_total", .counter, "Actions that were answered with a UPnP error.")
    for (key, codes) in faults.sorted(by: { $0.key < $1.key }) {
      for (code, count) in codes.sorted(by: { $0.key < $1.key }) {
        text.sample(["service": key.service, "action": key.action, "code": String(code)], count)
      }
    }
    text.metric(
      "vireo_action_duration_seconds", .histogram, "From the complete request to the complete response.")
    for (service, latency) in latencies.sorted(by: { $0.key < $1.key }) {
      var below = 0
      for (bound, count) in zip(Self.bounds, latency.classes) {
        below += count
        text.sample(
          ["service": service, "le": (Double(bound) / 1_000_000).metricsText], suffix: "_bucket", below)
      }
      below += latency.classes[Self.bounds.count]
      text.sample(["service": service, "le": "+Inf"], suffix: "_bucket", below)
      text.sample(["service": service], suffix: "_sum", Double(latency.nanoseconds) / 1e9)
      text.sample(["service": service], suffix: "_count", below)
    }
  }
}
