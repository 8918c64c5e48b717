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

  public init(
    uriPolicy: URIPolicy = URIPolicy(), volumeCurve: VolumeCurve = .cubic, volumeLimit: Int = 100,
    factoryVolume: Int = 50, maximumEntries: Int = 2000, maximumFailures: Int = 3,
    shuffleSeed: UInt64 = 0
  ) {
    self.uriPolicy = uriPolicy
    self.volumeCurve = volumeCurve
    self.volumeLimit = min(max(volumeLimit, 0), 100)
    self.factoryVolume = min(max(factoryVolume, 0), 100)
    self.maximumEntries = max(maximumEntries, 1)
    self.maximumFailures = max(maximumFailures, 1)
    self.shuffleSeed = shuffleSeed
  }
}
