import SCPD

/// Writes a description as the SCPD that is served.
///
/// It has no white space, the element order that every parser accepts, and room for the `configId` attribute (UPnP
/// Device Architecture, "Service description").
struct SCPDWriter {
  let description: ServiceDescription
  /// The service version to describe; anything newer is left out.
  var version = Int.max
  /// Writes the list of arguments of actions that have none, which some control points need to see.
  var writesEmptyLists = false

  /// Everything before the `configId` attribute.
  static let head = #"<?xml version="1.0" encoding="utf-8"?><scpd xmlns="urn:schemas-upnp-org:service-1-0""#

  /// Everything after the `configId` attribute.
  var tail: String {
    "><specVersion><major>1</major><minor>0</minor></specVersion>"
      + element("actionList", description.actions.filter { $0.since <= version }.map(action).joined())
      + element(
        "serviceStateTable", description.variables.filter { $0.since <= version }.map(variable).joined())
      + "</scpd>"
  }

  private func action(_ action: ActionDescription) -> String {
    let arguments =
      action.inputs.filter { $0.since <= version }.map { argument($0, direction: "in") }
      + action.outputs.filter { $0.since <= version }.map { argument($0, direction: "out") }
    let list = arguments.isEmpty && !writesEmptyLists ? "" : element("argumentList", arguments.joined())
    return element("action", element("name", action.name) + list)
  }

  private func argument(_ argument: ArgumentDescription, direction: String) -> String {
    element(
      "argument",
      element("name", argument.name) + element("direction", direction)
        + element("relatedStateVariable", description.variables[argument.variable].name))
  }

  private func variable(_ variable: StateVariable) -> String {
    var content = element("name", variable.name) + element("dataType", variable.type.rawValue)
    if let value = variable.defaultValue { content += element("defaultValue", value.xmlEscaped) }
    if !variable.allowedValues.isEmpty {
      content += element(
        "allowedValueList",
        variable.allowedValues.map { element("allowedValue", $0.xmlEscaped) }.joined())
    }
    if let range = variable.range {
      let step = range.step.map { element("step", String($0)) } ?? ""
      content += element(
        "allowedValueRange",
        element("minimum", String(range.minimum)) + element("maximum", String(range.maximum)) + step)
    }
    return "<stateVariable sendEvents=\"\(variable.sendsEvents ? "yes" : "no")\">\(content)</stateVariable>"
  }

  private func element(_ name: String, _ content: String) -> String {
    "<\(name)>\(content)</\(name)>"
  }
}

extension String {
  fileprivate var xmlEscaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
