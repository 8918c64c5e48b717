import Logging
import Player
import UPnP

/// Log lines that say who plays what.
struct CastLog: Sendable {
  let logger: Logger
  let context: ActionContext

  /// `192.0.2.9 (BubbleUPnP) casts “Singer – Song”: http://192.0.2.1/a.flac`
  func callAsFunction(_ verb: String, _ media: Media?, level: Logger.Level = .info) {
    guard let media else { return }
    logger.log(
      level: level,
      "\(context.caller) \(verb) \(DIDL.items(media.metadata).first?.heading ?? "untitled"): \(redacted(uri: media.uri))"
    )
  }
}

extension ActionContext {
  /// Address and, when it said so, program of the control point.
  fileprivate var caller: String {
    userAgent.isEmpty ? "\(remoteAddress)" : "\(remoteAddress) (\(LogText.cleaned(userAgent)))"
  }
}

extension DIDL {
  /// `Artist – Title`, as far as known.
  fileprivate var heading: String? {
    let parts = [artist, title].compactMap { $0 }.map { LogText.cleaned($0) }
    return parts.isEmpty ? nil : "“\(parts.joined(separator: " – "))”"
  }
}
