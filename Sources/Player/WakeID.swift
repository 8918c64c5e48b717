/// Identifies one wake-up request, so that a late call can be told from the current one.
public struct WakeID: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  public init(_ value: UInt64) {
    self.value = value
  }

  public var description: String { "wake #\(value)" }
}
