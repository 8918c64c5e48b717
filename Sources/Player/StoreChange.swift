/// One difference between the stored state and the current one; small however long the playlist is.
///
/// See ``PlayerSnapshot/apply(_:)``.
public enum StoreChange: Sendable, Hashable {
  /// A new track after the one with the id `after`, 0 for the front. Its id is also the new value of the id
  /// counter: ids of deleted tracks must never be reused.
  case inserted(PlaylistTrack, after: UInt32)
  case deleted(UInt32)
  /// All tracks were deleted; the id counter keeps its value.
  case cleared
  /// Replaces all settings.
  case settings(SavedPlayer)
}
