import Logging

/// How a log message looks as one line of text.
enum LogLine {
  /// The longest line, in bytes; below PIPE_BUF, so that a pipe takes it whole or not at all.
  static let maximumLength = 4000

  enum Style: Sendable, Equatable {
    /// For the journal: sd-daemon(3)'s `<N>` in front, and no time, since the journal has its own.
    case journal
    /// For people.
    case terminal
  }

  /// `2026-11-21 17:02:51.042 info    http: message key=value`, or for the journal `<6>http: message key=value`.
  ///
  /// - Parameter time: As text; not used in the journal's style.
  static func format(
    _ style: Style, time: @autoclosure () -> String, level: Logger.Level, part: String, message: String,
    metadata: [(key: String, value: String)] = []
  ) -> [UInt8] {
    var line: [UInt8] = []
    switch style {
    case .journal: line += Array("<\(priority(level))>".utf8)
    case .terminal:
      let name = level.rawValue
      line += Array("\(time()) \(name)".utf8)
      line += [UInt8](repeating: 0x20, count: max(1, 9 - name.utf8.count))
    }
    line += Array("\(part): ".utf8)
    append(message, to: &line)
    for (key, value) in metadata {
      line.append(0x20)
      append(key, to: &line)
      line.append(0x3d)
      append(value, to: &line)
    }
    if line.count >= maximumLength {
      line.removeLast(line.count - (maximumLength - 4))
      line += Array("...".utf8)
    }
    line.append(0x0a)
    return line
  }

  /// syslog(3)
  static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// Control characters as `\x0a`: what comes from the network must not forge lines or move a terminal's cursor.
  private static func append(_ text: String, to line: inout [UInt8]) {
    for byte in text.utf8.prefix(maximumLength) {
      if byte < 0x20 || byte == 0x7f {
        let digits = Array("0123456789abcdef".utf8)
        line += [0x5c, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        line.append(byte)
      }
    }
  }
}
