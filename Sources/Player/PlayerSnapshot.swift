/// The player's state that survives a restart.
///
/// Levels are stored in decibels, so that a change of the volume curve doesn't change the loudness after a
/// restart.
public struct PlayerSnapshot: Sendable, Hashable {
  /// One volume channel.
  public struct Channel: Sendable, Hashable {
    /// 1/256 dB, 0 or less; nil is silence.
    public var decibels: Int?
    public var isMuted: Bool
    /// 1/1024 dB, within `Volume.trimRange`.
    public var trim: Int
    /// 1/1024 dB, within `Volume.offsetRange`.
    public var offset: Int

    public init(decibels: Int?, isMuted: Bool, trim: Int = 0, offset: Int = 0) {
      self.decibels = decibels
      self.isMuted = isMuted
      self.trim = trim
      self.offset = offset
    }
  }

  public var player: SavedPlayer
  public var tracks: PlaylistTracks

  public init(player: SavedPlayer, tracks: PlaylistTracks) {
    self.player = player
    self.tracks = tracks
  }
}

extension PlayerState {
  /// The state to store; its cost doesn't depend on the length of the playlist. Equal snapshots need not be
  /// stored again.
  public var snapshot: PlayerSnapshot { PlayerSnapshot(player: saved(), tracks: playlist.tracks) }
}
