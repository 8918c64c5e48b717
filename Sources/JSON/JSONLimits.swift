/// What a JSON text may need at most.
public struct JSONLimits: Sendable, Hashable {
  /// The longest text, in bytes.
  public var bytes: Int
  /// How deep arrays and objects may lie in each other.
  public var depth: Int
  /// How many values there may be in all, whatever their depth.
  public var values: Int

  public init(bytes: Int = 256 * 1024, depth: Int = 8, values: Int = 40_000) {
    self.bytes = bytes
    self.depth = depth
    self.values = values
  }
}
