import CoreMetrics

/// Records the resources that the process uses; values that the kernel doesn't tell are left out.
struct ProcessMeter: Sendable {
  private let factory: any MetricsFactory
  private var cpu: Total

  init(factory: any MetricsFactory) {
    self.factory = factory
    cpu = Metric.processCPU.total(in: factory)
  }

  mutating func show(_ cost: ProcessUsage) {
    cpu.reach(cost.cpuSeconds)
    if let resident = cost.resident { Metric.processMemory.gauge(in: factory).record(resident) }
    if let descriptors = cost.descriptors { Metric.processDescriptors.gauge(in: factory).record(descriptors) }
    if let threads = cost.threads { Metric.processThreads.gauge(in: factory).record(threads) }
  }
}
