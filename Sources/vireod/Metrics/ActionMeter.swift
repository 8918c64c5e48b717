import CoreMetrics
import UPnP

/// Counts actions and how long they took. Bounded by the actions that services describe and the errors they have.
struct ActionMeter: Sendable {
  private struct Key: Sendable, Hashable {
    var service: String
    var action: String
    var fault: Int?
  }

  private let factory: any MetricsFactory
  /// Looked up by key, which is quicker than asking the factory every time.
  private var counters: [Key: Counter] = [:]
  private var timers: [String: Timer] = [:]

  init(factory: any MetricsFactory) {
    self.factory = factory
  }

  mutating func record(_ record: ActionRecord) {
    var key = Key(service: record.service, action: record.action)
    counter(for: key).increment()
    if let fault = record.fault {
      key.fault = fault
      counter(for: key).increment()
    }
    timer(for: record.service).recordNanoseconds(record.nanoseconds)
  }

  private mutating func counter(for key: Key) -> Counter {
    if let counter = counters[key] { return counter }
    let action = key.action.isEmpty ? "unknown" : key.action
    var dimensions = [("service", key.service), ("action", action)]
    if let fault = key.fault { dimensions.append(("code", String(fault))) }
    let metric = key.fault == nil ? Metric.actions : .actionFaults
    let counter = metric.counter(in: factory, dimensions)
    counters[key] = counter
    return counter
  }

  private mutating func timer(for service: String) -> Timer {
    if let timer = timers[service] { return timer }
    let timer = Metric.actionDuration.timer(in: factory, [("service", service)])
    timers[service] = timer
    return timer
  }
}
