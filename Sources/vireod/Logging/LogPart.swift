import Logging
import Synchronization

/// The parts of the daemon that have a log level of their own (`[log]`).
enum LogPart: String, Sendable, CaseIterable {
  case daemon, discovery, http, events, player, output, network, reports

  fileprivate var shift: UInt64 {
    switch self {
    case .daemon: 0
    case .discovery: 8
    case .http: 16
    case .events: 24
    case .player: 32
    case .output: 40
    case .network: 48
    case .reports: 56
    }
  }

  /// The level of this part in `settings`.
  func level(in settings: Settings.Log) -> LogLevel {
    let own: LogLevel? =
      switch self {
      case .daemon: settings.daemon
      case .discovery: settings.discovery
      case .http: settings.http
      case .events: settings.events
      case .player: settings.player
      case .output: settings.output
      case .network: settings.network
      case .reports: settings.reports
      }
    return own ?? settings.level
  }
}

extension LogLevel {
  var loggerLevel: Logger.Level {
    switch self {
    case .trace: .trace
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}

/// The levels of all parts, shared by all loggers, so that a reload also affects existing loggers.
///
/// One byte each in one atomic word: reading a level is a single load and never blocks.
final class LogLevels: Sendable {
  private let word: Atomic<UInt64>

  init(_ settings: Settings.Log) {
    word = Atomic(Self.word(settings))
  }

  func set(_ settings: Settings.Log) {
    word.store(Self.word(settings), ordering: .relaxed)
  }

  subscript(part: LogPart) -> Logger.Level {
    let index = Int(word.load(ordering: .relaxed) >> part.shift & 0xff)
    return Logger.Level.allCases[index]
  }

  private static func word(_ settings: Settings.Log) -> UInt64 {
    LogPart.allCases.reduce(0) { word, part in
      let level = part.level(in: settings).loggerLevel
      return word | UInt64(Logger.Level.allCases.firstIndex(of: level) ?? 0) << part.shift
    }
  }
}
