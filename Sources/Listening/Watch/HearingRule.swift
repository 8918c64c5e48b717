/// How much of a track must have been heard for it to count, by kind of server.
public enum HearingRule: String, Sendable, Hashable, CaseIterable {
  /// Half of it or four minutes, whichever is less (ListenBrainz, "Submitting Listens").
  case half
  /// The same, but only tracks that are longer than 30 s (Last.fm, "Scrobbling 2.0", "When is a scrobble a scrobble?").
  case halfOfLonger

  /// What counts of a track whatever its length, and of one of unknown length.
  static let most = Duration.seconds(240)
  /// What counts of a station's song, whose length nobody says.
  static let ofStations = Duration.seconds(60)
  /// Last.fm counts only what is longer.
  static let shortest = Duration.seconds(30)

  /// How long it must be heard; nil if it never counts.
  public func needed(duration: Duration?, isStation: Bool) -> Duration? {
    if isStation { return Self.ofStations }
    guard let duration else { return Self.most }
    if self == .halfOfLonger, duration <= Self.shortest { return nil }
    return min(duration / 2, Self.most)
  }
}
