/// One difference between what is stored and what should be; small however long the playlist is. See
/// ``PlayerSnapshot/apply(_:)``.
public enum StoreChange: Sendable, Hashable {
  /// A new track behind the one with the id `after`, 0 for the front. Its id also is the counter's new value: the ids
  /// of deleted tracks must never come again.
  case inserted(PlaylistTrack, after: UInt32)
  case deleted(UInt32)
  /// All tracks were deleted; the counter of ids stays.
  case cleared
  /// Replaces all settings.
  case settings(PlayerSettings)
}
