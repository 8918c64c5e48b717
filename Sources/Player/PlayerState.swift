/// Everything that is to be known about the player. All protocols are views of this value.
///
/// It changes only through ``apply(_:at:)-(Command,_)`` and its siblings, which are pure: state and input in,
/// state and effects out.
public struct PlayerState: Sendable, Equatable {
  /// The track that the output was told to play after the current one.
  struct Offer: Sendable, Equatable {
    var track: NextTrack
    var facts = TrackFacts()
  }

  public internal(set) var configuration: PlayerConfiguration
  public internal(set) var activeSource: SourceKind
  /// Everything is silent and the sound device is let go of, until somebody wants to hear something.
  public internal(set) var isStandby: Bool
  public internal(set) var transport = Transport.stopped
  /// The playlist source.
  public internal(set) var playlist: Playlist
  /// The radio source.
  public internal(set) var radio: Radio
  /// The UPnP AV source.
  public internal(set) var av = AVQueue()
  public internal(set) var anchor = PositionAnchor(instant: PlayerInstant(nanoseconds: 0))
  /// Facts about ``currentTrack``, kept when it stops.
  public internal(set) var facts = TrackFacts()
  /// Why playback came to a stop; cleared by the next track that is heard and by other media being set.
  public internal(set) var failure: PlaybackFailure?
  public internal(set) var volume: Volume
  /// What can be played, as MIME types. Until the output has looked: what every installation decodes.
  public internal(set) var mimeTypes = [
    "audio/wav", "audio/x-wav", "audio/flac", "audio/x-flac", "audio/mpeg",
  ]
  public internal(set) var counters = StreamCounters()
  var offer: Offer?
  /// Tracks that failed one after the other.
  var failuresInRow = 0
  var random: SplitMix64
  private var lastPlayID: UInt64 = 0
  private var lastResolveID: UInt64 = 0
  private var lastWakeID: UInt64 = 0

  /// A player that has just been switched on: silent, with what was saved or else as configured.
  public init(configuration: PlayerConfiguration = PlayerConfiguration(), snapshot: PlayerSnapshot? = nil) {
    self.configuration = configuration
    random = SplitMix64(seed: configuration.shuffleSeed)
    let (curve, limit) = (configuration.volumeCurve, configuration.volumeLimit)
    let settings = snapshot?.settings
    volume =
      settings.map { Volume(curve: curve, limit: limit, settings: $0) }
      ?? Volume(curve: curve, limit: limit, step: configuration.factoryVolume)
    activeSource = configuration.source(preferring: [configuration.startupSource, settings?.activeSource])
    isStandby = settings?.isStandby ?? false
    playlist = Playlist(
      tracks: snapshot?.tracks, currentID: settings?.currentTrackID ?? 0,
      isRepeating: settings?.isRepeating ?? false, isShuffling: settings?.isShuffling ?? false, using: &random
    )
    radio = Radio(channel: settings?.channel, wasPreset: settings?.isPreset ?? false)
    if !isStandby, let startup = configuration.startupVolume { volume.setStep(startup, of: .master) }
    if configuration.resumesPosition, activeSource == .playlist, let position = settings?.position,
      (.zero...Self.furthestSeek).contains(position), playlist.currentID == settings?.currentTrackID
    {
      anchor.position = position
    }
    if currentTrack != nil { counters.countTrack(nil) }
  }

  // MARK: What views ask

  /// Length of the current track: what the decoder found, else what the metadata claims; nil when unknown.
  public var duration: Duration? {
    facts.duration ?? currentTrack?.durationHint.flatMap { $0 > .zero ? $0 : nil }
  }

  /// Position in the current track, within 0...``duration``.
  public func position(at now: PlayerInstant) -> Duration {
    anchor.position(at: now, duration: duration)
  }

  /// The transport as `source` shows it: a source that isn't active is stopped.
  public func transport(of source: SourceKind) -> Transport {
    source == activeSource ? transport : .stopped
  }

  /// The sources that there are, in the order of the source list; never empty.
  public var sources: [SourceKind] { configuration.sources }

  /// Place of the active source in ``sources``.
  public var sourceIndex: Int { sources.firstIndex(of: activeSource) ?? 0 }

  /// True when `source` has the transport and may use it.
  func isActive(_ source: SourceKind) -> Bool { source == activeSource && !isStandby }

  mutating func makePlayID() -> PlayID {
    lastPlayID += 1
    return PlayID(lastPlayID)
  }

  mutating func makeResolveID() -> ResolveID {
    lastResolveID += 1
    return ResolveID(lastResolveID)
  }

  mutating func makeWakeID() -> WakeID {
    lastWakeID += 1
    return WakeID(lastWakeID)
  }
}
