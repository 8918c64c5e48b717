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
  public internal(set) var activeSource = SourceKind.upnpAV
  public internal(set) var transport = Transport.stopped
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
  var offer: Offer?
  /// Tracks that failed one after the other.
  var failuresInRow = 0
  var random: SplitMix64
  private var lastPlayID: UInt64 = 0
  private var lastResolveID: UInt64 = 0

  /// A player that has just been switched on: no media, volume as saved or as configured.
  public init(configuration: PlayerConfiguration = PlayerConfiguration(), snapshot: PlayerSnapshot? = nil) {
    self.configuration = configuration
    random = SplitMix64(seed: configuration.shuffleSeed)
    let (curve, limit) = (configuration.volumeCurve, configuration.volumeLimit)
    volume =
      snapshot.map { Volume(curve: curve, limit: limit, snapshot: $0) }
      ?? Volume(curve: curve, limit: limit, step: configuration.factoryVolume)
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

  mutating func makePlayID() -> PlayID {
    lastPlayID += 1
    return PlayID(lastPlayID)
  }

  mutating func makeResolveID() -> ResolveID {
    lastResolveID += 1
    return ResolveID(lastResolveID)
  }
}
