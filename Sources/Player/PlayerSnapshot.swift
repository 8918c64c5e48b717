/// What of the player survives a restart.
///
/// Levels are kept in decibels, so that another volume curve doesn't change how loud it is after a restart.
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

  /// The version that this code writes. A reader takes this one and older ones: version 1 has nothing but the decibels
  /// and mutes of the three channels, everything else is as on a player that was never used.
  public static let currentVersion = 2

  public var version: Int
  public var settings: PlayerSettings
  public var tracks: PlaylistTracks

  public init(version: Int = Self.currentVersion, settings: PlayerSettings, tracks: PlaylistTracks) {
    self.version = version
    self.settings = settings
    self.tracks = tracks
  }

  /// A volume, and nothing else.
  public init(version: Int = Self.currentVersion, master: Channel, left: Channel, right: Channel) {
    self.init(
      version: version, settings: PlayerSettings(master: master, left: left, right: right),
      tracks: PlaylistTracks())
  }

  public var master: Channel {
    get { settings.master }
    set { settings.master = newValue }
  }
  public var left: Channel {
    get { settings.left }
    set { settings.left = newValue }
  }
  public var right: Channel {
    get { settings.right }
    set { settings.right = newValue }
  }

  /// Takes over what was changed since. Applied in order, the changes that the player asked to be stored lead from one
  /// of its snapshots to the next. What doesn't fit, as in a damaged store, does the least harm: a track whose
  /// predecessor is missing comes last, one that exists already stays as it is.
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
  /// Costs the same however long the playlist is. Equal snapshots need not be stored again.
  public var snapshot: PlayerSnapshot { PlayerSnapshot(settings: settings(), tracks: playlist.tracks) }
}

extension Volume {
  /// The volume of `settings`; values outside the range or above the limit are brought inside.
  init(curve: VolumeCurve, limit: Int, settings: PlayerSettings) {
    self.init(curve: curve, limit: limit)
    let saved: [(VolumeChannel, PlayerSnapshot.Channel)] = [
      (.master, settings.master), (.left, settings.left), (.right, settings.right),
    ]
    for (channel, value) in saved {
      setLevel(value.decibels, of: channel)
      setMute(value.isMuted, of: channel)
      setTrim(value.trim, of: channel)
      setOffset(value.offset, of: channel)
    }
  }
}
