/// Variables whose values stay as they were sent, because their moderation windows haven't ended.
public struct HeldValues: Sendable {
  private let values: [String: String]

  /// Nothing is held: all values are the current ones.
  public static let none = HeldValues([:])

  public init(_ values: [String: String]) { self.values = values }

  /// The value of the variable `name`; nil when it has to be read.
  public subscript(name: String) -> String? { values.isEmpty ? nil : values[name] }
}
