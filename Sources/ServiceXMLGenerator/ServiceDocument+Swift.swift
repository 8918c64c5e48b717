import SCPD

/// Which variables and actions are which, and what they are called in Swift.
extension ServiceDocument {
  /// True for an action with no in arguments other than InstanceID, whose out arguments all relate to real state
  /// variables. Services have no code for getters: their values are read from the view.
  func isGetter(_ action: ActionDescription) -> Bool {
    inputs(of: action).isEmpty && !action.outputs.isEmpty && faults[action.name] == nil
      && action.outputs.allSatisfy { !description.variables[$0.variable].isArgumentTypeOnly }
  }

  /// True for an action that changes nothing, so that a call may arrive twice.
  func isRepeatable(_ action: ActionDescription) -> Bool {
    let asks = ["Get", "Browse", "Search", "Read", "List"].contains { action.name.hasPrefix($0) }
    return isGetter(action) || asks && !action.outputs.isEmpty
  }

  /// The actions that aren't plain getters, without those that are refused.
  var commands: [ActionDescription] {
    description.actions.filter { !isGetter($0) && faults[$0.name] == nil }
  }

  /// All in arguments except InstanceID, which is checked earlier.
  func inputs(of action: ActionDescription) -> [(position: Int, argument: ArgumentDescription)] {
    action.inputs.enumerated().filter {
      description.variables[$0.element.variable].name != "A_ARG_TYPE_InstanceID"
    }.map { ($0.offset, $0.element) }
  }

  /// The variables that a getter or an event reports.
  var shownVariables: [StateVariable] {
    let shown = Set(description.actions.filter(isGetter).flatMap { $0.outputs.map(\.variable) })
    return description.variables.indices.filter {
      shown.contains($0)
        || (description.variables[$0].sendsEvents && description.variables[$0].name != "LastChange")
    }.map { description.variables[$0] }
  }

  /// The variables that subscribers are sent, as properties of their own or inside `LastChange`.
  var eventedVariables: [StateVariable] {
    shownVariables.filter { lastChange == nil ? $0.sendsEvents : !polled.contains($0.name) }
  }

  /// The versions of the service that lack something, in their order.
  var olderVersions: [Int] {
    let newer =
      description.actions.flatMap { [$0.since] + ($0.inputs + $0.outputs).map(\.since) }
      + description.variables.map(\.since)
    return Set(newer).filter { $0 > 1 }.map { $0 - 1 }.sorted()
  }

  func property(_ variable: StateVariable) -> String { SwiftName.lowerCamel(variable.name) }

  func type(_ variable: StateVariable) -> String {
    if !variable.allowedValues.isEmpty { return SwiftName.type(variable.name) }
    if variable.isLong { return "any ChunkedText" }
    return switch variable.type {
    case .ui1: "UInt8"
    case .ui2: "UInt16"
    case .ui4: "UInt32"
    case .i1: "Int8"
    case .i2: "Int16"
    case .i4: "Int32"
    case .boolean: "Bool"
    case .string, .uri, .base64: "String"
    }
  }

  func literal(_ text: String) -> String {
    // Safe as long as the text doesn't contain `"###`, which would end the raw literal.
    "###\"\(text)\"###"
  }
}
