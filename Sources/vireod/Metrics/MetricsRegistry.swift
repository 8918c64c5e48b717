import CoreMetrics
import Synchronization

/// Stores the metrics that are recorded through swift-metrics, for Prometheus to fetch.
///
/// Bounded: a series beyond the limit, or one whose kind contradicts an existing metric of the same name, is dropped.
final class MetricsRegistry: MetricsFactory {
  /// The most series of all metrics together. Our own are some 200, plus one for each error of each action.
  static let mostSeries = 2000

  enum Kind: String, Sendable {
    case counter, gauge, histogram
    /// Without quantiles: only a sum and a count.
    case summary
  }

  enum Cell: Sendable {
    case number(NumberCell)
    case distribution(DistributionCell)

    var identity: ObjectIdentifier {
      switch self {
      case .number(let cell): ObjectIdentifier(cell)
      case .distribution(let cell): ObjectIdentifier(cell)
      }
    }
  }

  struct Family: Sendable {
    var kind: Kind
    var series: [MetricLabels: Cell] = [:]
  }

  private let families = Mutex<[String: Family]>([:])

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    number(label, dimensions, .counter)
  }

  func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
    -> any FloatingPointCounterHandler
  {
    number(label, dimensions, .counter)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    number(label, dimensions, .gauge)
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    aggregate ? distribution(label, dimensions, .summary) : number(label, dimensions, .gauge)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    distribution(label, dimensions, .histogram)
  }

  func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
  func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// All metrics, with names and labels that Prometheus allows.
  func all() -> [String: Family] { families.withLock { $0 } }

  // MARK: -

  private func number(_ name: String, _ labels: [(String, String)], _ kind: Kind) -> NumberCell {
    let cell = cell(name, labels, kind) { .number(NumberCell()) }
    if case .number(let cell)? = cell { return cell }
    return NumberCell()
  }

  private func distribution(_ name: String, _ labels: [(String, String)], _ kind: Kind) -> DistributionCell {
    let bounds = kind == .histogram ? DistributionCell.durations : []
    let cell = cell(name, labels, kind) { .distribution(DistributionCell(bounds: bounds)) }
    if case .distribution(let cell)? = cell { return cell }
    return DistributionCell(bounds: bounds)
  }

  /// Returns the cell for a name and labels, creating it if necessary; nil when it must be dropped.
  private func cell(_ name: String, _ labels: [(String, String)], _ kind: Kind, make: () -> Cell) -> Cell? {
    let name = MetricLabels.name(name)
    let labels = MetricLabels(labels)
    return families.withLock { families in
      if let family = families[name] {
        guard family.kind == kind else { return nil }
        if let cell = family.series[labels] { return cell }
      }
      guard families.values.reduce(0, { $0 + $1.series.count }) < Self.mostSeries else { return nil }
      let cell = make()
      families[name, default: Family(kind: kind)].series[labels] = cell
      return cell
    }
  }

  private func remove(_ handler: AnyObject) {
    let identity = ObjectIdentifier(handler)
    families.withLock { families in
      for (name, family) in families {
        guard let labels = family.series.first(where: { $0.value.identity == identity })?.key else {
          continue
        }
        families[name]?.series[labels] = nil
        if family.series.count == 1 { families[name] = nil }
      }
    }
  }
}
