/// Limits of the event streams.
public struct EventStreamLimits: Sendable, Hashable {
  /// Streams of one address at the same time.
  public var streamsPerAddress = 4
  /// The shortest time between two events of a section.
  public var spacing = Duration.milliseconds(100)
  /// How often each stream gets a word, so that pages notice when it is dead.
  public var heartbeat = Duration.seconds(20)

  public init() {}
}
