import Logging

/// swift-log's way to ``LogSink``; the level is that of the part in ``LogLevels``, live.
struct VireoLogHandler: LogHandler {
  let part: LogPart
  let levels: LogLevels
  let sink: LogSink
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  /// Set when a library wants a level of its own for its copy of a logger.
  private var ownLevel: Logger.Level?

  init(part: LogPart, levels: LogLevels, sink: LogSink) {
    self.part = part
    self.levels = levels
    self.sink = sink
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
    if let error = event.error { all["error"] = "\(error)" }
    let pairs = all.isEmpty ? [] : all.map { (key: $0.key, value: "\($0.value)") }.sorted { $0.key < $1.key }
    sink.write(
      LogLine.format(
        sink.style, time: LogTime.now(), level: event.level, part: part.rawValue,
        message: event.message.description, metadata: pairs))
  }
}

/// Makes the loggers of all parts.
struct Loggers: Sendable {
  let levels: LogLevels
  let sink: LogSink

  init(settings: Settings.Log, sink: LogSink) {
    levels = LogLevels(settings)
    self.sink = sink
  }

  subscript(part: LogPart) -> Logger {
    Logger(label: part.rawValue) { _ in VireoLogHandler(part: part, levels: levels, sink: sink) }
  }
}
