/// Why something could not be played.
public struct PlaybackFailure: Error, Sendable, Hashable {
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// The server or file system reports that there is no such resource.
    case notFound
    /// The server refused (401, 403 and the like).
    case forbidden
    /// No connection, name not resolved, connection reset.
    case unreachable
    /// The server's certificate has expired, isn't trusted, or is for another name.
    case untrusted
    /// The server sent nothing for longer than the configured time.
    case timedOut
    /// Too many redirects, or a redirect loop.
    case tooManyRedirects
    /// A URI scheme that isn't allowed, or a file outside the configured directories.
    case refusedURI
    /// Not audio, or audio of an unknown format.
    case unsupportedFormat
    /// A known audio format whose decoder isn't installed.
    case missingDecoder
    /// The data is damaged.
    case corrupt
    /// The server or its backend has a temporary fault (408, 500 and above).
    case serverFault
    /// The sound device is missing, busy or broken.
    case device
    case other
  }

  public var kind: Kind
  /// Text for the log and the status page, without secrets: what happened and what to do.
  public let message: String
  /// Position in the track where the sound ended; nil when the output can't tell.
  public var reached: Duration?
  /// True when the server had answered before the failure.
  public var isAnswered = false

  /// Maximum length of a message in characters.
  static let longestMessage = 600

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    // It may contain text from servers and decoders.
    self.message = String(redacted(text: message).unicodeScalars.prefix(Self.longestMessage))
  }
}

extension PlaybackFailure {
  /// The cause of a failure. Only a bad track is skipped. For server and network trouble the player waits, so
  /// that an outage doesn't run through the playlist; without a sound device it stops.
  public enum Trouble: Sendable, Hashable {
    /// The track is unplayable, now and later.
    case track
    /// The server answers, but its stream breaks off or it reports a fault: the next attempt may get further.
    case server
    /// The server is unreachable. Other tracks would probably fail as well.
    case network
    /// There is no working sound device.
    case device
  }

  public var trouble: Trouble {
    switch kind {
    case .unreachable, .timedOut: isAnswered ? .server : .network
    case .serverFault: .server
    case .device: .device
    case .notFound, .forbidden, .tooManyRedirects, .refusedURI, .unsupportedFormat, .missingDecoder, .corrupt,
      .untrusted, .other:
      .track
    }
  }

  /// True when another attempt at the same track may succeed.
  public var mayPass: Bool { trouble == .server || trouble == .network }

  /// True when the content itself is unplayable, so that another attempt would fail the same way.
  var isOfContent: Bool { [.unsupportedFormat, .missingDecoder, .corrupt].contains(kind) }

  /// The failure for a URI that the policy doesn't allow.
  static var refused: PlaybackFailure {
    PlaybackFailure(
      .refusedURI,
      "The address is refused: its scheme isn't allowed, it is too long, or it is a file outside [playback] directories."
    )
  }
}
