/// Writes metrics in Prometheus' text exposition format, version 0.0.4.
struct MetricsText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  /// Appends `families`, sorted by names and labels.
  ///
  /// - Parameters:
  ///   - families: The metrics by name.
  ///   - help: Returns the description of a metric, if there is one.
  mutating func write(_ families: [String: MetricsRegistry.Family], help: (String) -> String?) {
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      if let help = help(name) { text += "# HELP \(name) \(Self.escaped(help))\n" }
      text += "# TYPE \(name) \(family.kind.rawValue)\n"
      for (labels, cell) in family.series.sorted(by: { $0.key < $1.key }) {
        switch cell {
        case .number(let cell): sample(name, labels, cell.value)
        case .distribution(let cell): write(cell, name, labels, family.kind)
        }
      }
    }
  }

  /// Writes a histogram, converted from nanoseconds to seconds, which is Prometheus' unit, or a summary.
  private mutating func write(
    _ cell: DistributionCell, _ name: String, _ labels: MetricLabels, _ kind: MetricsRegistry.Kind
  ) {
    let values = cell.values
    let count = values.classes.reduce(0, +)
    guard kind == .histogram else {
      sample(name + "_sum", labels, values.sum)
      return sample(name + "_count", labels, Double(count))
    }
    var below = 0
    for (bound, members) in zip(cell.bounds, values.classes) {
      below += members
      sample(name + "_bucket", labels, le: Self.number(bound / 1e9), Double(below))
    }
    sample(name + "_bucket", labels, le: "+Inf", Double(count))
    sample(name + "_sum", labels, values.sum / 1e9)
    sample(name + "_count", labels, Double(count))
  }

  private mutating func sample(_ name: String, _ labels: MetricLabels, le: String? = nil, _ value: Double) {
    var pairs = labels.labels.map { "\($0.name)=\"\(Self.escaped($0.value, inQuotes: true))\"" }
    if let le { pairs.append("le=\"\(le)\"") }
    let list = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    text += "\(name)\(list) \(Self.number(value))\n"
  }

  /// Formats a value: `3`, `0.5`, `+Inf`, `NaN`.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? String(value)
  }

  private static func escaped(_ text: String, inQuotes: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where inQuotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
