import Player

/// What the player has been told of a track, so that it is told of each change once. Pure.
struct TrackReports {
  private var duration: UInt?
  private var isSeekable: Bool?
  private var details: StreamDetails?

  /// Whether the player doesn't know this duration (in nanoseconds) yet.
  mutating func isNew(duration: UInt) -> Bool {
    defer { self.duration = duration }
    return self.duration != duration
  }

  /// Whether the player doesn't know this yet.
  mutating func isNew(isSeekable: Bool) -> Bool {
    defer { self.isSeekable = isSeekable }
    return self.isSeekable != isSeekable
  }

  /// Whether the player doesn't know these details yet.
  mutating func isNew(details: StreamDetails) -> Bool {
    defer { self.details = details }
    return self.details != details
  }
}
