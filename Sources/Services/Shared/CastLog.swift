import DIDLLite
import Logging
import Player
import UPnP

/// Writes log lines that say which control point plays what.
public struct CastLog: Sendable {
  let logger: Logger
  let context: ActionContext

  public init(logger: Logger, context: ActionContext) {
    self.logger = logger
    self.context = context
  }

  /// Logs a line such as `192.0.2.9 (BubbleUPnP) casts “Singer – Song”: http://192.0.2.1/a.flac`.
  ///
  /// - Parameters:
  ///   - verb: what the control point does.
  ///   - media: the media concerned; nothing is logged for nil.
  ///   - level: the level of the line.
  ///   - file: the caller's file, so that the log counts different kinds of lines separately.
  ///   - line: the caller's line, as `file`.
  public func callAsFunction(
    _ verb: String, _ media: Media?, level: Logger.Level = .info, file: String = #fileID, line: UInt = #line
  ) {
    guard let media, logger.logLevel <= level else { return }
    logger.log(
      level: level,
      "\(context.caller) \(verb) \(DIDL.items(media.metadata).first?.heading(of: media.uri) ?? "untitled"): \(redacted(uri: media.uri))",
      file: file, line: line)
  }
}

extension ActionContext {
  /// The control point's address and, if known, its user agent.
  fileprivate var caller: String {
    userAgent.isEmpty ? "\(remoteAddress)" : "\(remoteAddress) (\(LogText.cleaned(userAgent)))"
  }
}

extension DIDL {
  /// `Artist – Title`, as far as known; nil when neither is.
  fileprivate func heading(of uri: String) -> String? {
    let parts = [artist, title].compactMap { $0 }.map { LogText.cleaned(redacted(title: $0, of: uri)) }
    return parts.isEmpty ? nil : "“\(parts.joined(separator: " – "))”"
  }
}
