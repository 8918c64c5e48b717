import CoreMetrics

/// Shows what the process costs; what the kernel doesn't say isn't shown.
struct ProcessMeter: Sendable {
  private let factory: any MetricsFactory
  private var cpu: Total

  init(factory: any MetricsFactory) {
    self.factory = factory
    cpu = Metric.processCPU.total(in: factory)
  }

  mutating func show(_ cost: ProcessCost) {
    cpu.reach(cost.cpuSeconds)
    if let resident = cost.resident { Metric.processMemory.gauge(in: factory).record(resident) }
    if let descriptors = cost.descriptors { Metric.processDescriptors.gauge(in: factory).record(descriptors) }
    if let threads = cost.threads { Metric.processThreads.gauge(in: factory).record(threads) }
  }
}
