import CoreMetrics
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

  private let factory: any MetricsFactory
  /// Cached by key, which is faster than asking the factory every time.
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
