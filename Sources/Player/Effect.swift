/// Names one request to look into a container, so that a late answer can be told from the current one's.
public struct ResolveID: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  public init(_ value: UInt64) {
    self.value = value
  }

  public var description: String { "resolve #\(value)" }
}

/// What was found where a container was supposed to be.
public enum Resolution: Sendable, Hashable {
  /// The tracks, in the order of the container.
  case entries([Media])
  /// Not a container after all (an HLS playlist, for one): play it as it is.
  case notAContainer
  case failed(PlaybackFailure)
}

/// What has to be done outside of the player's state. Data; ``PlayerCore`` hands each to its edge.
public enum Effect: Sendable, Hashable {
  case output(OutputRequest)
  /// Fetch and parse this container and answer with ``PlayerCore/resolved(_:_:)``, within a bounded time.
  /// A newer request of the same kind makes the answer to an older one stale, never wrong.
  case resolve(ResolveID, Media)
  /// Call ``Command/wake(_:)`` after this time. Calls that are no longer wanted do no harm.
  case wake(after: Duration, WakeID)
  /// Have this stored, in order, soon.
  case store(StoreChange)
  /// Read the radio presets anew and give them with ``RadioCommand/setPresets(_:)``; when that fails leave it.
  case refreshPresets
  case report(PlayerReport)
}

/// What happened, for the log.
public enum PlayerReport: Sendable, Hashable {
  /// The first sample of the track is heard; `gapless` when it followed the one before without a gap.
  case started(Media, gapless: Bool)
  /// The last track has ended and nothing follows.
  case finished(Media)
  /// The track can't be played; playback has stopped.
  case failed(Media, PlaybackFailure)
  /// The track can't be played; another one is tried instead, or it was only the next one.
  case skipped(Media, PlaybackFailure)
  /// A container was read: tracks taken, and entries dropped because they were refused or too many.
  case opened(Media, tracks: Int, dropped: Int)
  /// The station's stream broke off, or couldn't be opened again; `attempt`, counted from 1, follows after this time.
  case lost(Media, PlaybackFailure, attempt: Int, after: Duration)
  /// A volume above the limit was asked for.
  case volumeLimited(requested: Int, limit: Int)
}
