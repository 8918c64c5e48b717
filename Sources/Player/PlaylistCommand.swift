/// What OpenHome control points ask of the playlist source (OpenHome Playlist:1).
///
/// "Active" means that the playlist is the active source and the player isn't in standby. What is ignored succeeds
/// without doing anything.
public enum PlaylistCommand: Sendable, Hashable {
  // MARK: Editing; never switches the source

  /// Puts media behind the track with the id `after`, 0 for the front. Its id is `playlist.tracks.lastID` afterwards.
  /// Throws `playlistFull`, `idNotFound`.
  case insert(after: UInt32, Media)
  /// When the track plays the next one starts. Throws `idNotFound`.
  case delete(UInt32)
  case deleteAll

  // MARK: Transport

  /// Makes the playlist active. Resumes or starts the current track; one that plays starts again.
  case play
  /// Ignored when not active, and for a live stream.
  case pause
  /// Ignored when not active.
  case stop
  /// Goes on and plays; behind the last track stops with the first one current, unless repeating. Ignored when not
  /// active.
  case next
  /// Goes back and plays; before the first track stops, unless repeating. Ignored when not active.
  case previous
  /// Makes the playlist active and plays this track. Throws `idNotFound`, and changes nothing then.
  case playID(UInt32)
  /// As `playID`, by the place in the list, from 0, whatever the order of playing. Throws `indexNotFound`.
  case playIndex(Int)
  /// Goes to a position in the current track and plays. Ignored when not active. Throws `seekFailed`.
  case seek(to: Duration)
  /// By so much from the present position, kept within the track. Ignored when not active. Throws `seekFailed`.
  case skip(by: Duration)

  // MARK: Modes

  case setRepeat(Bool)
  case setShuffle(Bool)
}
