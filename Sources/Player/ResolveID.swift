/// Identifies one request to read a container, so that a late answer can be told from the current one.
public struct ResolveID: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  public init(_ value: UInt64) {
    self.value = value
  }

  public var description: String { "resolve #\(value)" }
}
