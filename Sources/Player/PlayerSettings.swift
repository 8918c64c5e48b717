/// What survives a restart besides the tracks: small, and of fixed size but for the station's text.
public struct PlayerSettings: Sendable, Hashable {
  public var master: PlayerSnapshot.Channel
  public var left: PlayerSnapshot.Channel
  public var right: PlayerSnapshot.Channel
  /// Nil in what older versions saved.
  public var activeSource: SourceKind?
  public var isStandby: Bool
  public var isRepeating: Bool
  public var isShuffling: Bool
  /// The playlist's current track; 0 for none.
  public var currentTrackID: UInt32
  /// The radio station.
  public var channel: Media?
  /// The station was chosen from the presets.
  public var isPreset: Bool
  /// Position in the playlist's current track; nil when it isn't to be resumed.
  public var position: Duration?

  public init(
    master: PlayerSnapshot.Channel, left: PlayerSnapshot.Channel, right: PlayerSnapshot.Channel,
    activeSource: SourceKind? = nil, isStandby: Bool = false, isRepeating: Bool = false,
    isShuffling: Bool = false, currentTrackID: UInt32 = 0, channel: Media? = nil, isPreset: Bool = false,
    position: Duration? = nil
  ) {
    self.master = master
    self.left = left
    self.right = right
    self.activeSource = activeSource
    self.isStandby = isStandby
    self.isRepeating = isRepeating
    self.isShuffling = isShuffling
    self.currentTrackID = currentTrackID
    self.channel = channel
    self.isPreset = isPreset
    self.position = position
  }
}

extension PlayerState {
  /// As of the last change: while something plays the position is where it began, or was last sought to. For what is
  /// saved at the end give the instant.
  public func settings(at now: PlayerInstant? = nil) -> PlayerSettings {
    func channel(_ channel: VolumeChannel) -> PlayerSnapshot.Channel {
      PlayerSnapshot.Channel(
        decibels: volume.level(of: channel), isMuted: volume.isMuted(channel), trim: volume.trim(of: channel),
        offset: volume.offset(of: channel))
    }
    let resumes = configuration.resumesPosition && activeSource == .playlist && !playlist.isEmpty
    return PlayerSettings(
      master: channel(.master), left: channel(.left), right: channel(.right), activeSource: activeSource,
      isStandby: isStandby, isRepeating: playlist.isRepeating, isShuffling: playlist.isShuffling,
      currentTrackID: playlist.currentID, channel: radio.channel, isPreset: radio.isPreset,
      position: resumes ? now.map { position(at: $0) } ?? anchor.position : nil)
  }
}
