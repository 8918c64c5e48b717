import Pins

/// State besides the tracks that survives a restart; small, and of fixed size except for the texts of station and pins.
public struct SavedPlayer: Sendable, Hashable {
  /// Nil when lost; the channel is then as on a player that was never used.
  public var master: PlayerSnapshot.Channel?
  public var left: PlayerSnapshot.Channel?
  public var right: PlayerSnapshot.Channel?
  /// Nil in state saved by older versions.
  public var activeSource: SourceKind?
  public var isStandby: Bool
  public var isRepeating: Bool
  public var isShuffling: Bool
  /// The playlist's current track; 0 for none.
  public var currentTrackID: UInt32
  /// The radio station.
  public var channel: Media?
  /// True when the station was chosen from the presets.
  public var isPreset: Bool
  /// What the receiver was told to listen to.
  public var sender: Media?
  /// True when it listened.
  public var isListening: Bool
  /// Position in the playlist's current track; nil when it isn't resumed.
  public var position: Duration?
  public var pins: PinBank
  /// The playlist repeats the current track alone.
  public var repeatsOne: Bool
  public var zone: ZoneSettings

  public init(
    master: PlayerSnapshot.Channel?, left: PlayerSnapshot.Channel?, right: PlayerSnapshot.Channel?,
    activeSource: SourceKind? = nil, isStandby: Bool = false, isRepeating: Bool = false,
    isShuffling: Bool = false, currentTrackID: UInt32 = 0, channel: Media? = nil, isPreset: Bool = false,
    sender: Media? = nil, isListening: Bool = false, position: Duration? = nil,
    pins: PinBank = PinBank(), repeatsOne: Bool = false, zone: ZoneSettings = ZoneSettings()
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
    self.sender = sender
    self.isListening = isListening
    self.position = position
    self.pins = pins
    self.repeatsOne = repeatsOne
    self.zone = zone
  }
}

extension PlayerState {
  /// What is to be saved as of the last change, or at `now`.
  ///
  /// Without `now`, the position while playing is where playback began or the last seek went. Pass the
  /// instant when saving at the end of the run.
  public func saved(at now: PlayerInstant? = nil) -> SavedPlayer {
    func channel(_ channel: VolumeChannel) -> PlayerSnapshot.Channel {
      PlayerSnapshot.Channel(
        decibels: volume.level(of: channel), isMuted: volume.isMuted(channel), trim: volume.trim(of: channel),
        offset: volume.offset(of: channel))
    }
    let resumes = configuration.resumesPosition && ask(activeSource) { $0.canResume }
    // A cast isn't restored: after a restart the source is the one from which the cast took over.
    var saved = SavedPlayer(
      master: channel(.master), left: channel(.left), right: channel(.right),
      activeSource: castOver ?? activeSource, isStandby: isStandby,
      position: resumes ? now.map { position(at: $0) } ?? anchor.position : nil, pins: pins,
      zone: zone.settings)
    for source in SourceKind.allCases { ask(source) { $0.save(in: &saved) } }
    saved.isListening = receiver.awaitsResumption || isActive(.receiver) && transport != .stopped
    return saved
  }
}
