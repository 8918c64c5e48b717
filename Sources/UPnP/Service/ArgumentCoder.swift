import SCPD

/// Checks the arguments of a request against the service's description: the one place where types, ranges,
/// allowed values and InstanceID are looked at (UPnP Device Architecture, "Control"; `ServiceXML`).
public struct ArgumentCoder: Sendable {
  /// The longest text that any argument may have, in bytes (DIDL-Lite of a whole album cover page fits).
  public static let maximumTextLength = 256 * 1024

  let description: ServiceDescription

  public init(_ description: ServiceDescription) {
    self.description = description
  }

  /// Orders and checks `arguments` (name and text, as parsed) for the action at `action`.
  ///
  /// Surplus arguments are ignored; of several with one name the first counts.
  ///
  /// - Throws: 402 for a missing or ill-typed argument, 600 for a value that isn't in the allowed list, 601 for
  ///   one out of range, 605 for one that is too long.
  public func check(
    action: Int, arguments: [(name: String, text: String)]
  ) throws(UPnPError) -> [String] {
    var inputs: [String] = []
    inputs.reserveCapacity(description.actions[action].inputs.count)
    for input in description.actions[action].inputs {
      guard let text = arguments.first(where: { $0.name == input.name })?.text else {
        throw .invalidArgs("\(input.name) is missing")
      }
      inputs.append(
        try Self.canonical(text, of: description.variables[input.variable], argument: input.name))
    }
    return inputs
  }

  /// The text in the form that ``WireValue`` reads, once type and bounds are right.
  static func canonical(
    _ text: String, of variable: StateVariable, argument: String
  ) throws(UPnPError) -> String {
    guard text.utf8.count <= maximumTextLength else { throw .stringTooLong(argument) }
    switch variable.type {
    case .string, .uri, .base64:
      guard !variable.allowedValues.isEmpty else { return text }
      let value = text.trimmingASCIISpace
      guard variable.allowedValues.contains(value) else {
        throw .valueInvalid("\(argument) is none of \(variable.allowedValues.joined(separator: ", "))")
      }
      return value
    case .boolean:
      guard let value = Bool(wire: text) else { throw .invalidArgs("\(argument) is not a boolean") }
      return value.wire
    case .ui1, .ui2, .ui4, .i1, .i2, .i4:
      guard let value = Int64(text.trimmingASCIISpace, radix: 10) else {
        throw .invalidArgs("\(argument) is not a whole number")
      }
      let ofType = variable.type.integerRange ?? Int64.min...Int64.max
      let bounds = variable.range.map { $0.minimum...$0.maximum } ?? ofType
      guard bounds.contains(value), ofType.contains(value) else {
        throw .valueOutOfRange("\(argument) is not within \(bounds.lowerBound) and \(bounds.upperBound)")
      }
      return String(value)
    }
  }
}
