import Logging
import Synchronization

/// Keeps what is logged.
final class LogLines: Sendable {
  private struct Handler: LogHandler {
    let lines: LogLines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.list.withLock { $0.append(("\(event.level) \(event.message)", event.metadata ?? [:])) }
    }
  }

  private let list = Mutex<[(text: String, metadata: Logger.Metadata)]>([])

  var all: [String] { list.withLock { $0.map(\.text) } }

  /// What the lines say of `key`, those that do.
  func values(of key: String) -> [String] {
    list.withLock { $0.compactMap { $0.metadata[key]?.description } }
  }

  /// A logger that writes to `lines`, or nowhere.
  static func logger(_ lines: LogLines?) -> Logger {
    Logger(label: "test") { _ in
      if let lines { return Handler(lines: lines) }
      return SwiftLogNoOpLogHandler()
    }
  }
}
