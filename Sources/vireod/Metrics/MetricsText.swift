/// Collects the values of metrics and writes them in Prometheus' text exposition format, version 0.0.4.
struct MetricsText: Sendable {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private typealias Labels = [(name: String, value: String)]

  private enum Value: Sendable {
    case number(Double)
    case histogram(Histogram)
  }

  private var families: [Metric: [(labels: Labels, value: Value)]] = [:]

  /// Adds one value of `metric`. All values of a metric have labels of the same names, in the same order.
  mutating func add(_ metric: Metric, _ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
    families[metric, default: []].append((labels.map { ($0, $1) }, .number(value)))
  }

  mutating func add(_ metric: Metric, _ value: Int, _ labels: KeyValuePairs<String, String> = [:]) {
    add(metric, Double(value), labels)
  }

  mutating func add(_ metric: Metric, _ value: Histogram, _ labels: KeyValuePairs<String, String> = [:]) {
    families[metric, default: []].append((labels.map { ($0, $1) }, .histogram(value)))
  }

  /// All metrics that have values, sorted by names and labels.
  var text: String {
    var text = ""
    for (metric, series) in families.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let name = metric.rawValue
      text += "# HELP \(name) \(Self.escaped(metric.help))\n# TYPE \(name) \(metric.kind)\n"
      for (labels, value) in series.sorted(by: { Self.precedes($0.labels, $1.labels) }) {
        switch value {
        case .number(let number): text += Self.sample(name, labels, number)
        case .histogram(let histogram): text += Self.samples(name, labels, histogram)
        }
      }
    }
    return text
  }

  private static func precedes(_ left: Labels, _ right: Labels) -> Bool {
    left.lexicographicallyPrecedes(right) { ($0.name, $0.value) < ($1.name, $1.value) }
  }

  /// Writes a histogram in seconds, which is Prometheus' unit, with cumulative buckets.
  private static func samples(_ name: String, _ labels: Labels, _ histogram: Histogram) -> String {
    var (text, count) = ("", 0)
    for (index, members) in histogram.counts.enumerated() {
      count += members
      let isBounded = Histogram.bounds.indices.contains(index)
      let bound = isBounded ? number(Double(Histogram.bounds[index]) / 1e9) : "+Inf"
      text += sample(name + "_bucket", labels + [("le", bound)], Double(count))
    }
    return text + sample(name + "_sum", labels, histogram.sumSeconds)
      + sample(name + "_count", labels, Double(count))
  }

  private static func sample(_ name: String, _ labels: Labels, _ value: Double) -> String {
    let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, inQuotes: true))\"" }
    let list = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    return "\(name)\(list) \(number(value))\n"
  }

  /// Formats a value: `3`, `0.5`, `+Inf`, `NaN`.
  private static func number(_ value: Double) -> String {
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
