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

  /// The version that this code writes. Readers accept this one and older ones. Version 1 has only the
  /// decibels and mutes of the three channels; everything else is as on a player that was never used.
  public static let currentVersion = 2

  public var version: Int
  public var settings: SavedPlayer
  public var tracks: PlaylistTracks

  public init(version: Int = Self.currentVersion, settings: SavedPlayer, tracks: PlaylistTracks) {
    self.version = version
    self.settings = settings
    self.tracks = tracks
  }

  /// A snapshot of a volume, and nothing else.
  public init(version: Int = Self.currentVersion, master: Channel, left: Channel, right: Channel) {
    self.init(
      version: version, settings: SavedPlayer(master: master, left: left, right: right),
      tracks: PlaylistTracks())
  }

  public var master: Channel? {
    get { settings.master }
    set { settings.master = newValue }
  }
  public var left: Channel? {
    get { settings.left }
    set { settings.left = newValue }
  }
  public var right: Channel? {
    get { settings.right }
    set { settings.right = newValue }
  }

  /// Applies a stored change. The changes that the player stores, applied in order, lead from one of its
  /// snapshots to the next.
  ///
  /// A change that doesn't fit, as in a damaged store, is handled with the least loss: a track whose
  /// predecessor is missing goes to the end, one that already exists is unchanged.
  public mutating func apply(_ change: StoreChange) {
    switch change {
    case .inserted(let track, let after):
      if tracks.insert(track, after: after) == nil { tracks.append(track) }
    case .deleted(let id): tracks.remove(id)
    case .cleared: tracks.removeAll()
    case .settings(let settings): self.settings = settings
    }
  }
}

extension PlayerState {
  /// The state to store; its cost doesn't depend on the length of the playlist. Equal snapshots need not be
  /// stored again.
  public var snapshot: PlayerSnapshot { PlayerSnapshot(settings: settings(), tracks: playlist.tracks) }
}

extension Volume {
  /// The volume of `settings`, with the master at `step` if it was lost. Values out of range or above the
  /// limit are clamped.
  init(curve: VolumeCurve, limit: Int, step: Int, settings: SavedPlayer) {
    self.init(curve: curve, limit: limit, step: step)
    let saved: [(VolumeChannel, PlayerSnapshot.Channel?)] = [
      (.master, settings.master), (.left, settings.left), (.right, settings.right),
    ]
    for case (let channel, let value?) in saved {
      setLevel(value.decibels, of: channel)
      setMute(value.isMuted, of: channel)
      setTrim(value.trim, of: channel)
      setOffset(value.offset, of: channel)
    }
  }
}
