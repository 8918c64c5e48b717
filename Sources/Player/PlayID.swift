/// Names one attempt to play one track.
///
/// Every load gets a fresh one, so an event of an attempt that has been given up can be told from the
/// current one's and dropped.
public struct PlayID: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let value: UInt64

  public init(_ value: UInt64) {
    self.value = value
  }

  public static func < (left: PlayID, right: PlayID) -> Bool { left.value < right.value }
  public var description: String { "#\(value)" }
}
