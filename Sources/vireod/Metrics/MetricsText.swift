/// Writes metrics as Prometheus reads them (text exposition format, version 0.0.4).
struct MetricsText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  private(set) var text = ""
  private var name = ""

  /// Begins the metric `name`; samples of it follow.
  mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// A sample of the metric begun last. `suffix` is for the parts of a histogram.
  mutating func sample(
    _ labels: KeyValuePairs<String, String>, suffix: String = "", _ value: some MetricsNumber
  ) {
    text += name + suffix
    if !labels.isEmpty {
      text +=
        "{" + labels.map { "\($0)=\"\(Self.escaped($1, inQuotes: true))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value.metricsText)\n"
  }

  /// A metric with one sample.
  mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some MetricsNumber) {
    metric(name, kind, help)
    sample([:], value)
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

/// What a sample may be.
protocol MetricsNumber {
  var metricsText: String { get }
}

extension Int: MetricsNumber {
  var metricsText: String { String(self) }
}

extension Bool: MetricsNumber {
  var metricsText: String { self ? "1" : "0" }
}

extension Double: MetricsNumber {
  var metricsText: String {
    if isNaN { return "NaN" }
    return isInfinite ? (self < 0 ? "-Inf" : "+Inf") : String(self)
  }
}
