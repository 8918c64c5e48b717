/// The settings that the player's rules depend on.
public struct PlayerConfiguration: Sendable, Hashable {
  public var uriPolicy: URIPolicy
  public var volumeCurve: VolumeCurve
  /// Highest volume that anybody can set, 0...100.
  public var volumeLimit: Int
  /// Volume of the preset FactoryDefaults and of the very first start, 0...100.
  public var factoryVolume: Int
  /// Tracks taken from one container at most.
  public var maximumEntries: Int
  /// So many broken tracks in a row stop a container.
  public var maximumFailures: Int
  /// What the random orders begin with; give something random, except in tests.
  public var shuffleSeed: UInt64
  /// Offers the sources playlist and radio.
  public var openHomeEnabled: Bool
  /// Offers the source UPnP AV. Without any source this one is there nevertheless.
  public var avEnabled: Bool
  /// The source at start and when standby is left; nil for the one used last.
  public var startupSource: SourceKind?
  /// The volume at start and when standby is left, 0...100; nil for the one used last.
  public var startupVolume: Int?
  /// Tracks in the playlist at most, 1...16384.
  public var tracksMax: Int
  /// Bytes of URIs and metadata in the playlist at most.
  public var playlistBytesMax: Int
  /// How often a station that was heard is connected to again when it has broken off.
  public var reconnectAttempts: Int
  /// The playlist's current track begins after a restart where it was.
  public var resumesPosition: Bool

  public init(
    uriPolicy: URIPolicy = URIPolicy(), volumeCurve: VolumeCurve = .cubic, volumeLimit: Int = 100,
    factoryVolume: Int = 50, maximumEntries: Int = 2000, maximumFailures: Int = 3,
    shuffleSeed: UInt64 = 0, openHomeEnabled: Bool = true, avEnabled: Bool = true,
    startupSource: SourceKind? = nil, startupVolume: Int? = nil, tracksMax: Int = 1000,
    playlistBytesMax: Int = 48 << 20, reconnectAttempts: Int = 12, resumesPosition: Bool = false
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
    self.startupSource = startupSource
    self.startupVolume = startupVolume.map { min(max($0, 0), 100) }
    self.tracksMax = min(max(tracksMax, 1), 16384)
    self.playlistBytesMax = max(playlistBytesMax, 0)
    self.reconnectAttempts = max(reconnectAttempts, 0)
    self.resumesPosition = resumesPosition
  }

  /// The sources that there are, in the order of the source list; never empty.
  public var sources: [SourceKind] {
    SourceKind.allCases.filter { source in
      switch source {
      case .playlist, .radio: openHomeEnabled
      case .upnpAV: avEnabled || !openHomeEnabled
      }
    }
  }

  /// The first of `wishes` that there is, else the first source.
  func source(preferring wishes: [SourceKind?]) -> SourceKind {
    let available = sources
    return wishes.lazy.compactMap { $0 }.first(where: available.contains) ?? available[0]
  }
}
