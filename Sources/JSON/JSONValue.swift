/// A JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// In the order in which the members were written.
  case object([JSONMember])
}

/// A member of a JSON object.
public struct JSONMember: Sendable, Hashable {
  public var name: String
  public var value: JSONValue

  public init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}
