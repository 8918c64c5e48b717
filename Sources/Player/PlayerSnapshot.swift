/// What of the player survives a restart.
///
/// Levels are kept in decibels, so that another volume curve doesn't change how loud it is after a restart.
public struct PlayerSnapshot: Sendable, Hashable {
  /// One volume channel.
  public struct Channel: Sendable, Hashable {
    /// 1/256 dB, 0 or less; nil is silence.
    public var decibels: Int?
    public var isMuted: Bool

    public init(decibels: Int?, isMuted: Bool) {
      self.decibels = decibels
      self.isMuted = isMuted
    }
  }

  /// The version that this code writes. A reader takes this one and older ones.
  public static let currentVersion = 1

  public var version: Int
  public var master: Channel
  public var left: Channel
  public var right: Channel

  public init(version: Int = Self.currentVersion, master: Channel, left: Channel, right: Channel) {
    self.version = version
    self.master = master
    self.left = left
    self.right = right
  }
}

extension PlayerState {
  /// Equal snapshots need not be stored again.
  public var snapshot: PlayerSnapshot {
    func channel(_ channel: VolumeChannel) -> PlayerSnapshot.Channel {
      .init(decibels: volume.level(of: channel), isMuted: volume.isMuted(channel))
    }
    return PlayerSnapshot(master: channel(.master), left: channel(.left), right: channel(.right))
  }
}

extension Volume {
  /// The volume of `snapshot`; values outside the range or above the limit are brought inside.
  init(curve: VolumeCurve, limit: Int, snapshot: PlayerSnapshot) {
    self.init(curve: curve, limit: limit)
    let saved: [(VolumeChannel, PlayerSnapshot.Channel)] = [
      (.master, snapshot.master), (.left, snapshot.left), (.right, snapshot.right),
    ]
    for (channel, value) in saved {
      setLevel(value.decibels, of: channel)
      setMute(value.isMuted, of: channel)
    }
  }
}
