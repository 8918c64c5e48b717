/// Identifies one attempt to play one track.
///
/// Every load gets a new one, so that events of an abandoned attempt can be recognized and dropped.
public struct PlayID: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let value: UInt64

  public init(_ value: UInt64) {
    self.value = value
  }

  public static func < (left: PlayID, right: PlayID) -> Bool { left.value < right.value }
  public var description: String { "#\(value)" }
}
