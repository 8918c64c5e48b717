/// Prepares text from the network for a log line.
enum LogText {
  private static let maximumLength = 120

  /// `text` on one line, without control characters, and of bounded length.
  static func cleaned(_ text: String) -> String {
    let printable = String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(maximumLength + 1).map { $0.properties.isControl ? " " : $0 }))
    return printable.count > maximumLength ? printable.prefix(maximumLength) + "…" : printable
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isControl: Bool {
    switch generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format: true
    default: false
    }
  }
}
