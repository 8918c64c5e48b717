import Text

/// The header fields of a request, in their order.
public struct HeaderFields: Sendable {
  /// Names in lower case.
  private var fields: [(name: String, value: String)] = []

  public init() {}

  package mutating func append(name: String, value: String) { fields.append((name, value)) }

  /// Returns the first value of the field `name` (in lower case).
  public func first(_ name: String) -> String? {
    for field in fields where field.name == name { return field.value }
    return nil
  }

  /// Returns all values of the field `name` (in lower case).
  public func all(_ name: String) -> [String] {
    fields.lazy.filter { $0.name == name }.map(\.value)
  }

  /// All of them, in their order.
  package var list: [(name: String, value: String)] { fields }

  public func contains(_ name: String) -> Bool { first(name) != nil }

  /// True when `token` (in lower case) is one of the comma-separated tokens of the field `name`.
  public func lists(_ token: String, in name: String) -> Bool {
    for field in fields where field.name == name {
      if field.value.lowercased().split(separator: ",").contains(where: { $0.trimmingASCIISpace == token }) {
        return true
      }
    }
    return false
  }
}
