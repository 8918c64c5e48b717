/// In which order tracks follow each other (UPnP AVTransport:1, CurrentPlayMode; the modes that this player has).
public enum PlayMode: Sendable, Hashable, CaseIterable {
  /// One after the other, then stop.
  case normal
  /// Each entry of a container once, in random order. A single track plays as in `normal`.
  case shuffle
  /// The current track again and again, without a gap.
  case repeatOne
  /// From the start again when nothing follows.
  case repeatAll
}
