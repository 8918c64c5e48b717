/// The labels of a series, in their original order, with names that Prometheus allows.
struct MetricLabels: Sendable, Hashable, Comparable {
  struct Label: Sendable, Hashable, Comparable {
    var name: String
    var value: String

    static func < (left: Label, right: Label) -> Bool {
      (left.name, left.value) < (right.name, right.value)
    }
  }

  private(set) var labels: [Label] = []

  /// Creates the labels; of several with the same name only the first is kept.
  init(_ dimensions: [(String, String)]) {
    for (name, value) in dimensions {
      let name = Self.labelName(name)
      if !labels.contains(where: { $0.name == name }) { labels.append(Label(name: name, value: value)) }
    }
  }

  static func < (left: MetricLabels, right: MetricLabels) -> Bool {
    left.labels.lexicographicallyPrecedes(right.labels)
  }

  /// A valid metric name: `[a-zA-Z_:][a-zA-Z0-9_:]*`, with `_` for other characters.
  static func name(_ text: String) -> String { clean(text, colon: true) }

  /// A valid label name, which has no colons. `le` and `quantile` are reserved for histograms and summaries.
  static func labelName(_ text: String) -> String {
    let name = clean(text, colon: false)
    return name == "le" || name == "quantile" ? name + "_" : name
  }

  private static func clean(_ text: String, colon: Bool) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x61...0x7a, 0x41...0x5a, 0x5f: result.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x30...0x39:
        if result.isEmpty { result = "_" }
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x3a where colon: result += ":"
      default: result += "_"
      }
    }
    return result.isEmpty ? "_" : result
  }
}
