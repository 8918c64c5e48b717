import JSON

/// Members of what a Vireo answers; nil for one that is missing or is something else.
extension JSONValue {
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  /// A number that isn't below zero.
  func number(_ name: String) -> Int? {
    guard case .number(let number)? = self[name], number >= 0, number < 1e15 else { return nil }
    return Int(number.rounded())
  }

  /// The values of an array; none for anything else.
  func elements(_ name: String) -> [JSONValue] {
    if case .array(let values)? = self[name] { values } else { [] }
  }
}
