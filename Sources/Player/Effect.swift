/// Identifies one request to read a container, so that a late answer can be told from the current one.
public struct ResolveID: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  public init(_ value: UInt64) {
    self.value = value
  }

  public var description: String { "resolve #\(value)" }
}

/// The result of reading what may be a container.
public enum Resolution: Sendable, Hashable {
  /// The tracks, in the order of the container.
  case entries([Media])
  /// Not a container after all (an HLS playlist, for example): play it as it is.
  case notAContainer
  case failed(PlaybackFailure)
}

/// An action outside of the player's state, as data that ``PlayerCore`` passes to its edge or output.
public enum Effect: Sendable, Hashable {
  case output(OutputRequest)
  /// Fetch and parse this container, and answer with ``PlayerCore/resolved(_:_:)`` within a bounded time. A
  /// late answer to a superseded request is ignored.
  case resolve(ResolveID, Media)
  /// Send ``Command/wake(_:)`` after this time. A wake-up that is no longer needed does no harm.
  case wake(after: Duration, WakeID)
  /// Store ``PlayerState/snapshot`` soon.
  case store
  /// Read the radio presets again and pass them on with ``RadioCommand/setPresets(_:)``; do nothing when that
  /// fails.
  case refreshPresets
  case report(PlayerReport)
}

/// An event for the log.
public enum PlayerReport: Sendable, Hashable {
  /// The first sample of the track plays; `gapless` when it followed the previous track without a gap.
  case started(Media, gapless: Bool)
  /// The last track has ended and nothing follows.
  case finished(Media)
  /// The track can't be played; playback has stopped.
  case failed(Media, PlaybackFailure)
  /// The track can't be played; another one is tried instead, or it was only the next track.
  case skipped(Media, PlaybackFailure)
  /// A container was read. `dropped` counts entries that the URI policy refused or that exceeded the limit.
  case opened(Media, tracks: Int, dropped: Int)
  /// The stream was interrupted, or couldn't be reopened. The next attempt, counted from 1, follows after
  /// this time.
  case lost(Media, PlaybackFailure, attempt: Int, after: Duration)
  /// A volume above the limit was requested.
  case volumeLimited(requested: Int, limit: Int)
}
