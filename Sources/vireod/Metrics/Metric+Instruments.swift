import CoreMetrics

extension Metric {
  func counter(in factory: any MetricsFactory, _ dimensions: [(String, String)] = []) -> Counter {
    Counter(label: rawValue, dimensions: dimensions, factory: factory)
  }

  func gauge(in factory: any MetricsFactory, _ dimensions: [(String, String)] = []) -> Gauge {
    Gauge(label: rawValue, dimensions: dimensions, factory: factory)
  }

  func timer(in factory: any MetricsFactory, _ dimensions: [(String, String)] = []) -> Timer {
    Timer(label: rawValue, dimensions: dimensions, factory: factory)
  }

  func total(in factory: any MetricsFactory, _ dimensions: [(String, String)] = []) -> Total {
    Total(FloatingPointCounter(label: rawValue, dimensions: dimensions, factory: factory))
  }
}

/// A counter for a total that is counted elsewhere.
struct Total: Sendable {
  private let counter: FloatingPointCounter
  private var reached = 0.0

  init(_ counter: FloatingPointCounter) {
    self.counter = counter
  }

  /// Increments the counter to `value`.
  mutating func reach(_ value: Double) {
    guard value > reached else { return }
    counter.increment(by: value - reached)
    reached = value
  }

  mutating func reach(_ value: Int) { reach(Double(value)) }
}
