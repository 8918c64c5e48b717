import SCPD

extension ServiceDescription {
  /// An action as one line: `GetVolume(InstanceID ui4, Channel string) → CurrentVolume ui2`.
  func signature(of action: ActionDescription) -> String {
    let inputs = action.inputs.map { typed($0) }.joined(separator: ", ")
    let outputs = action.outputs.map { typed($0) }.joined(separator: ", ")
    return "\(action.name)(\(inputs))" + (outputs.isEmpty ? "" : " → \(outputs)")
  }

  private func typed(_ argument: ArgumentDescription) -> String {
    "\(argument.name) \(variables[argument.variable].type.rawValue)"
  }
}

extension StateVariable {
  /// What values it can have beyond its type: `0…100 step 5`, `PLAYING | STOPPED`; empty if the type alone says it.
  var bounds: String {
    if !allowedValues.isEmpty { return allowedValues.joined(separator: " | ") }
    guard let range else { return "" }
    let step = range.step.map { $0 == 1 ? "" : " step \($0)" } ?? ""
    return "\(range.minimum)…\(range.maximum)\(step)"
  }
}
