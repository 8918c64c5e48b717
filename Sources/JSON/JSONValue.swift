/// A JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// In the order in which the members were written.
  case object([JSONMember])

  /// Reads a JSON text, strictly and within `limits`.
  public init(reading text: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    var reader = JSONReader(text, limits: limits)
    self = try reader.read()
  }

  /// Reads a JSON text, strictly and within `limits`.
  public init(reading text: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self = try text.withUnsafeBytes { bytes in
      Result { () throws(JSONError) in try JSONValue(reading: bytes, limits: limits) }
    }.get()
  }

  /// The value of the member `name` of an object; nil when there is none, or this is no object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
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
