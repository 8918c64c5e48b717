import Logging
import Player

/// Connects swift-log to ``LogGate``, and redacts secrets in messages and metadata.
///
/// The level is always the current one of the part in ``LogLevels``.
struct VireoLogHandler: LogHandler {
  /// A metadata key of a logger that isn't written. Its value names the subject of the lines where one place in the
  /// code logs for several subjects, which are then counted separately (``LogRateLimiter``).
  static let subjectKey = "subject"

  let part: LogPart
  let levels: LogLevels
  let gate: LogGate
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  /// Set when a library changes the level of its copy of a logger.
  private var ownLevel: Logger.Level?

  init(part: LogPart, levels: LogLevels, gate: LogGate) {
    self.part = part
    self.levels = levels
    self.gate = gate
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? levels[part] }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let more = event.metadata { all.merge(more) { $1 } }
    let subject = all.removeValue(forKey: Self.subjectKey)
    if let error = event.error { all["error"] = "\(error)" }
    let pairs = all.map { (key: $0.key, value: redacted(text: "\($0.value)")) }.sorted { $0.key < $1.key }
    gate.write(
      LogGate.Line(
        level: event.level, part: part, message: redacted(text: event.message.description), metadata: pairs),
      of: .init(file: event.file, line: event.line, subject: subject.map { "\($0)" } ?? ""),
      countsNothing: logLevel <= .debug)
  }
}

/// Creates the loggers of all parts.
struct Loggers: Sendable {
  let levels: LogLevels
  let gate: LogGate

  init(settings: Settings.Log, gate: LogGate) {
    levels = LogLevels(settings)
    self.gate = gate
  }

  init(settings: Settings.Log, sink: LogSink) {
    self.init(settings: settings, gate: LogGate(sink: sink))
  }

  subscript(part: LogPart) -> Logger {
    Logger(label: part.rawValue) { _ in VireoLogHandler(part: part, levels: levels, gate: gate) }
  }
}
