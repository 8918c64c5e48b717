import Logging

/// Formats a log message as one line.
enum LogLine {
  /// The longest line in bytes: below PIPE_BUF, so that a write to a pipe is atomic.
  static let maximumLength = 2000

  enum Style: Sendable, Equatable {
    /// For the journal: begins with sd-daemon(3)'s `<N>` and has no time, since the journal adds its own.
    case journal
    /// For people.
    case terminal
  }

  /// Formats a line: `2026-11-21 17:02:51.042 info    http: message key=value`, or for the journal `<6>http: message
  /// key=value`.
  ///
  /// - Parameters:
  ///   - style: The style.
  ///   - time: The time as text; not used in the journal's style.
  ///   - level: The level.
  ///   - part: The part of the daemon.
  ///   - message: The message.
  ///   - metadata: The metadata, in order.
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

  /// The priority of a level in syslog(3).
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

  /// Appends `text` with control characters as `\x0a`: data from the network must not forge lines or move a terminal's
  /// cursor.
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
