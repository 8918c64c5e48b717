import Pins

/// The complete state of the player. All protocols are views of this value.
///
/// It changes only through ``apply(_:at:)-(Command,_)`` and its siblings, which are pure: state and input in,
/// state and effects out.
public struct PlayerState: Sendable, Equatable {
  /// The next track that was sent to the output.
  struct Offer: Sendable, Equatable {
    var track: NextTrack
    var facts = TrackFacts()
  }

  public internal(set) var configuration: PlayerConfiguration
  public internal(set) var activeSource: SourceKind
  /// Standby: everything is silent and the sound device is released.
  public internal(set) var isStandby: Bool
  public internal(set) var transport = Transport.stopped
  /// The playlist source.
  public internal(set) var playlist: Playlist
  /// The radio source.
  public internal(set) var radio: Radio
  /// The receiver source.
  public internal(set) var receiver: Receiver
  /// What this room sends to others.
  public internal(set) var sender = SenderState()
  /// The favourites.
  public internal(set) var pins: PinBank
  /// The pin that was played last; nil for none in this run.
  public internal(set) var pinPlay: PinPlay?
  /// What only controllers of the Sonos class know.
  public internal(set) var zone: Zone
  /// The UPnP AV source.
  public internal(set) var av = AVQueue()
  var avFocus = AVFocus.others
  /// The source that becomes active again when the cast is over; nil when there is no cast, or when UPnP AV
  /// was selected as a source.
  var castOver: SourceKind?
  /// The source that was chosen while another one plays: the transport's next Play is for it.
  var awaitedSource: SourceKind?
  public internal(set) var anchor = PositionAnchor(instant: PlayerInstant(nanoseconds: 0))
  /// Facts about ``currentTrack``; kept when it stops.
  public internal(set) var facts = TrackFacts()
  /// Why playback stopped; cleared by the next track that is heard, and by new media.
  public internal(set) var failure: PlaybackFailure?
  public internal(set) var volume: Volume
  /// The playable MIME types. Until the output reports its decoders: those that every installation has.
  public internal(set) var mimeTypes = [
    "audio/wav", "audio/x-wav", "audio/flac", "audio/x-flac", "audio/mpeg",
  ]
  public internal(set) var counters = StreamCounters()
  /// The state of the sound device.
  public internal(set) var device = DeviceReport.closed
  var offer: Offer?
  /// The outage while the current track is unavailable; else nil.
  var outage: Outage?
  /// The position at which the sound of the current connection started; nil until it is heard.
  var soundStart: Duration?
  var pause = DurationWatch()
  /// Watches for the end of a cast: how long it has been silent.
  var silence = DurationWatch()
  /// Limits how fast tracks follow each other.
  var pace = TrackRateLimit()
  /// True when the transport waits to request a new track, rather than to resume one.
  var isNextDelayed = false
  /// Number of tracks that failed in a row.
  var failuresInRow = 0
  var random: SplitMix64
  private var lastPlayID: UInt64 = 0
  private var lastResolveID: UInt64 = 0
  private var lastWakeID: UInt64 = 0

  /// The state at start: silent, with the saved state or else the configured defaults.
  ///
  /// - Parameters:
  ///   - configuration: the settings that the rules depend on.
  ///   - snapshot: the saved state, if any.
  ///   - unsavedID: the lowest id of a track or pin that an earlier run may have assigned without saving it; 0
  ///     for none.
  public init(
    configuration: PlayerConfiguration = PlayerConfiguration(), snapshot: PlayerSnapshot? = nil,
    unsavedID: UInt32 = 0
  ) {
    self.configuration = configuration
    random = SplitMix64(seed: configuration.shuffleSeed)
    let (curve, limit) = (configuration.volumeCurve, configuration.volumeLimit)
    let saved = snapshot?.player
    let step = configuration.factoryVolume
    volume =
      saved.map { Volume(curve: curve, limit: limit, step: step, saved: $0) }
      ?? Volume(curve: curve, limit: limit, step: step)
    activeSource = configuration.source(preferring: [configuration.startupSource, saved?.activeSource])
    isStandby = saved?.isStandby ?? false
    pins = saved?.pins ?? PinBank()
    // What is noted of this run stands for the ids of pins too, and those may be ahead of the tracks'.
    playlist = Playlist(
      tracks: snapshot?.tracks, unsavedID: max(unsavedID, pins.lastID), currentID: saved?.currentTrackID ?? 0,
      isRepeating: saved?.isRepeating ?? false, isShuffling: saved?.isShuffling ?? false, using: &random
    )
    zone = Zone(settings: saved?.zone ?? ZoneSettings())
    if saved?.repeatsOne == true { playlist.setRepeating(true, one: true) }
    radio = Radio(channel: saved?.channel, wasPreset: saved?.isPreset ?? false)
    receiver = Receiver(sender: saved?.sender, listened: saved?.isListening ?? false)
    if !isStandby, let startup = configuration.startupVolume { volume.setStep(startup, of: .master) }
    if configuration.resumesPosition, ask(activeSource, { $0.canResume }),
      ask(activeSource, { $0.trackID }) == saved?.currentTrackID, let position = saved?.position,
      (.zero...Self.furthestSeek).contains(position)
    {
      anchor.position = position
    }
    if currentTrack != nil { counters.countTrack(nil) }
  }

  // MARK: For views

  /// The attempts to play that the output works on, now and next, with what they play and what is known of it.
  public var attempts: [(id: PlayID, media: Media, facts: TrackFacts)] {
    let current = transport.playID.flatMap { id in currentTrack.map { (id, $0, facts) } }
    return [current, offer.map { ($0.track.id, $0.track.media, $0.facts) }].compactMap(\.self)
  }

  /// Duration of the current track according to the decoder, else to the metadata; nil when unknown.
  public var duration: Duration? { duration(of: activeSource) }

  /// Position in the current track, within 0...``duration``.
  public func position(at now: PlayerInstant) -> Duration {
    anchor.position(at: now, duration: duration)
  }

  /// The transport state of `source`; stopped unless it is active.
  public func transport(of source: SourceKind) -> Transport {
    source == activeSource ? transport : .stopped
  }

  /// The available sources, in the order of the source list; never empty.
  public var sources: [SourceKind] { configuration.sources }

  /// Index of the active source in ``sources``.
  public var sourceIndex: Int { sources.firstIndex(of: activeSource) ?? 0 }

  /// True when `source` is active and the player isn't in standby.
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
