import DIDLLite
import Logging
import Pins
import Player
import UPnP

/// Writes log lines that say which control point plays what, and remembers it.
public struct CastLog: Sendable {
  let logger: Logger
  let context: ActionContext
  /// Whom it tells who chose what plays.
  var casters: Casters?
  var isPage = false

  public init(logger: Logger, context: ActionContext, casters: Casters?, isPage: Bool = false) {
    self.logger = logger
    self.context = context
    self.casters = casters
    self.isPage = isPage
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
    guard let media else { return }
    if level >= .info { casters?.note(Casters.Caster(context, isPage: isPage)) }
    guard logger.logLevel <= level else { return }
    logger.log(
      level: level,
      "\(context.caller) \(verb) \(DIDL.items(media.metadata).first?.heading(of: media.uri) ?? "untitled"): \(redacted(uri: media.uri))",
      file: file, line: line)
  }

  /// Logs that a favourite (pin) is played.
  public func play(_ pin: Pin, file: String = #fileID, line: UInt = #line) {
    casters?.note(Casters.Caster(context, isPage: isPage))
    guard logger.logLevel <= .info else { return }
    logger.info(
      "\(context.caller) plays the favourite “\(LogText.cleaned(redacted(text: pin.title)))”: \(pin.shownAddress)",
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
