/// The order of tracks (UPnP AVTransport:1, CurrentPlayMode); only the modes that this player supports.
public enum PlayMode: Sendable, Hashable, CaseIterable {
  /// In order, then stop.
  case normal
  /// Each entry of a container once, in random order. A single track plays as in `normal`.
  case shuffle
  /// Repeat the current track without a gap.
  case repeatOne
  /// Start again from the first track when nothing follows.
  case repeatAll
}
