import SCPD
import Text

/// Checks the arguments of a request against the service's description.
///
/// This is the only place that looks at types, ranges, allowed values and InstanceID (UPnP Device Architecture,
/// "Control"; `ServiceXML`).
public struct ArgumentCoder: Sendable {
  /// The longest argument allowed, in bytes; DIDL-Lite with a long description fits.
  public static let maximumTextLength = 256 * 1024

  let service: any ServiceProvider

  public init(_ service: any ServiceProvider) {
    self.service = service
  }

  /// Orders and checks `arguments` (names and strings, as parsed) for the action at `action`.
  ///
  /// Surplus arguments are ignored; of several with the same name, the first counts.
  ///
  /// - Throws: 402 for a missing or ill-typed argument, 605 for one that is too long. For a value that the description
  ///   doesn't allow, the service's own error; if it has none, 600 for a value that isn't in the list and 601 for one
  ///   out of range.
  public func check(
    action: Int, arguments: [(name: String, text: String)]
  ) throws(UPnPError) -> [String] {
    let description = service.description
    var inputs: [String] = []
    inputs.reserveCapacity(description.actions[action].inputs.count)
    for input in description.actions[action].inputs {
      let sent = arguments.first { $0.name == input.name }?.text
      guard let text = sent.flatMap({ $0.isEmpty ? nil : $0 }) ?? input.absent ?? sent else {
        throw .invalidArgs("\(input.name) is missing")
      }
      inputs.append(
        try canonical(text, of: description.variables[input.variable], argument: input.name))
    }
    return inputs
  }

  /// Returns `text` in the form that ``WireValue`` reads, once its type and bounds are checked.
  private func canonical(
    _ text: String, of variable: StateVariable, argument: String
  ) throws(UPnPError) -> String {
    guard text.utf8.count <= Self.maximumTextLength else { throw .stringTooLong(argument) }
    switch variable.type {
    case .string, .uri, .base64:
      guard !variable.allowedValues.isEmpty else { return text }
      let value = text.trimmingASCIISpace
      if variable.allowedValues.contains(value) { return value }
      if let meant = service.meaning(of: value, for: variable) { return meant }
      throw service.refusal(of: variable)
        ?? .valueInvalid("\(argument) is none of \(variable.allowedValues.joined(separator: ", "))")
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
        throw service.refusal(of: variable)
          ?? .valueOutOfRange("\(argument) is not within \(bounds.lowerBound) and \(bounds.upperBound)")
      }
      return String(value)
    }
  }
}
