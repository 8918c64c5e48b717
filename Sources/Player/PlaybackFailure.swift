/// Why something could not be played.
public struct PlaybackFailure: Error, Sendable, Hashable {
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// The server or file system says that there is no such resource.
    case notFound
    /// The server refused (401, 403 and the like).
    case forbidden
    /// No connection, name not resolved, connection reset.
    case unreachable
    /// The server stopped sending for longer than the configured time.
    case timedOut
    /// More redirects than allowed, or a circle.
    case tooManyRedirects
    /// URI scheme, or file outside the configured directories, that this player refuses.
    case refusedURI
    /// Not audio, or audio of an unknown kind.
    case unsupportedFormat
    /// A known kind of audio whose decoder isn't installed.
    case missingDecoder
    /// The data is damaged.
    case corrupt
    /// The sound device is absent, busy or broken.
    case device
    case other
  }

  public var kind: Kind
  /// Plain words for the log and the status page, without secrets: what happened and what to do.
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension PlaybackFailure {
  /// The server has sent what can't be played, and would again.
  var isOfContent: Bool { [.unsupportedFormat, .missingDecoder, .corrupt].contains(kind) }

  /// The URI isn't one that this player follows.
  static var refused: PlaybackFailure {
    PlaybackFailure(
      .refusedURI,
      "The address has a scheme, a directory or a length that the configuration doesn't allow this player.")
  }
}
