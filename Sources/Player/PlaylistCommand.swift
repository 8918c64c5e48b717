/// A command to the playlist source (OpenHome Playlist:1).
///
/// "Active" means that the playlist is the active source and the player isn't in standby. Ignored commands
/// succeed without an effect.
public enum PlaylistCommand: Sendable, Hashable {
  // MARK: Editing; never switches the source

  /// Inserts media after the track with the id `after`, 0 for the front. The new id is
  /// `playlist.tracks.lastID` afterwards. Throws `playlistFull`, `idNotFound`.
  case insert(after: UInt32, Media)
  /// Deletes a track; when it is playing, the next one starts. Throws `idNotFound`.
  case delete(UInt32)
  case deleteAll
  /// Inserts several, as many as there is room for. Throws `playlistFull` when there is room for none, `idNotFound`.
  case insertEach(after: UInt32, [Media])
  /// Deletes several; when one of them is playing, the next one that is left starts. Throws `idNotFound` when one of them
  /// isn't there, without any effect.
  case deleteEach([UInt32])
  /// Gives tracks another place, behind the track with the id `after`, 0 for the front. They keep their ids, and what plays
  /// plays on. Throws `idNotFound`.
  case move([UInt32], after: UInt32)
  /// Lets tracks play next, behind the current one and in this order, also while shuffling; the list stays as it is. Ids that
  /// aren't there are ignored.
  case bringNext([UInt32])
  /// Brings an earlier list back. The current track stays current if it is in the list.
  ///
  /// - current: the current track if the list is empty now.
  case restore(PlaylistTracks, current: UInt32)

  // MARK: Transport

  /// Makes the playlist active. Resumes or starts the current track; a playing track starts again.
  case play
  /// Ignored when not active and for a live stream.
  case pause
  /// Ignored when not active.
  case stop
  /// Plays the next track. After the last one, stops at the first unless repeating. Ignored when not active.
  case next
  /// Plays the previous track. Before the first one, stops unless repeating. Ignored when not active.
  case previous
  /// Makes the playlist active and plays this track. Throws `idNotFound`, without any effect.
  case playID(UInt32)
  /// As `playID`, by index in the list, from 0, regardless of shuffling. Throws `indexNotFound`.
  case playIndex(Int)
  /// Seeks to a position in the current track and plays. Ignored when not active. Throws `seekFailed`.
  case seek(to: Duration)
  /// Seeks relative to the current position, kept within the track, and plays. Ignored when not active.
  /// Throws `seekFailed`.
  case skip(by: Duration)

  // MARK: Modes

  case setRepeat(Bool)
  case setShuffle(Bool)
}

extension PlaylistCommand {
  /// False for what edits the playlist and for its modes.
  var isTransport: Bool {
    switch self {
    case .insert, .delete, .deleteAll, .insertEach, .deleteEach, .move, .bringNext, .restore, .setRepeat,
      .setShuffle:
      false
    case .play, .pause, .stop, .next, .previous, .playID, .playIndex, .seek, .skip: true
    }
  }
}
