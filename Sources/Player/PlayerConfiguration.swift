/// The settings that the player's rules depend on.
public struct PlayerConfiguration: Sendable, Hashable {
  public var uriPolicy: URIPolicy
  public var volumeCurve: VolumeCurve
  /// Maximum volume that can be set, 0...100.
  public var volumeLimit: Int
  /// Volume of the preset FactoryDefaults and of the first start ever, 0...100.
  public var factoryVolume: Int
  /// Maximum number of tracks read from one container.
  public var maximumEntries: Int
  /// Number of consecutive unplayable tracks after which playback stops.
  public var maximumFailures: Int
  /// Seed of the random orders; give something random, except in tests.
  public var shuffleSeed: UInt64
  /// Whether the sources other than UPnP AV are available.
  public var openHomeEnabled: Bool
  /// Whether the source UPnP AV is available. It always is when there is no other source.
  public var avEnabled: Bool
  /// Whether the source that plays what another room sends is available, beside the others of OpenHome.
  public var receiverEnabled: Bool
  /// The source at start and on leaving standby; nil for the last one used.
  public var startupSource: SourceKind?
  /// The volume at start and on leaving standby, 0...100; nil for the last one used.
  public var startupVolume: Int?
  /// Maximum number of tracks in the playlist, 1...16384.
  public var tracksMax: Int
  /// Maximum size of all URIs and metadata in the playlist, in bytes.
  public var playlistBytesMax: Int
  /// How often the player reconnects to a station that broke off after it was heard.
  public var reconnectAttempts: Int
  /// How long to wait for a track whose server is unreachable.
  public var patience: Duration
  /// Duration of a pause after which the output releases device and connection.
  public var pauseRelease: Duration
  /// Whether the playlist's current track resumes at its position after a restart.
  public var resumesPosition: Bool

  public init(
    uriPolicy: URIPolicy = URIPolicy(), volumeCurve: VolumeCurve = .cubic, volumeLimit: Int = 100,
    factoryVolume: Int = 50, maximumEntries: Int = 2000, maximumFailures: Int = 3,
    shuffleSeed: UInt64 = 0, openHomeEnabled: Bool = true, avEnabled: Bool = true,
    receiverEnabled: Bool = true,
    startupSource: SourceKind? = nil, startupVolume: Int? = nil, tracksMax: Int = 1000,
    playlistBytesMax: Int = 48 << 20, reconnectAttempts: Int = 12, patience: Duration = .seconds(120),
    pauseRelease: Duration = .seconds(60), resumesPosition: Bool = false
  ) {
    self.uriPolicy = uriPolicy
    self.volumeCurve = volumeCurve
    self.volumeLimit = min(max(volumeLimit, 0), 100)
    self.factoryVolume = min(max(factoryVolume, 0), 100)
    self.maximumEntries = max(maximumEntries, 1)
    self.maximumFailures = max(maximumFailures, 1)
    self.shuffleSeed = shuffleSeed
    self.openHomeEnabled = openHomeEnabled
    self.avEnabled = avEnabled
    self.receiverEnabled = receiverEnabled
    self.startupSource = startupSource
    self.startupVolume = startupVolume.map { min(max($0, 0), 100) }
    self.tracksMax = min(max(tracksMax, 1), 16384)
    self.playlistBytesMax = max(playlistBytesMax, 0)
    self.reconnectAttempts = max(reconnectAttempts, 0)
    self.patience = max(patience, .zero)
    self.pauseRelease = max(pauseRelease, .zero)
    self.resumesPosition = resumesPosition
  }

  /// The available sources, in the order of the source list; never empty.
  public var sources: [SourceKind] {
    SourceKind.allCases.filter { source in
      switch source {
      case .upnpAV: avEnabled || !openHomeEnabled
      case .receiver: openHomeEnabled && receiverEnabled
      case .playlist, .radio: openHomeEnabled
      }
    }
  }

  /// The first available source of `wishes`, else the first source.
  func source(preferring wishes: [SourceKind?]) -> SourceKind {
    let available = sources
    return wishes.lazy.compactMap { $0 }.first(where: available.contains) ?? available[0]
  }
}
