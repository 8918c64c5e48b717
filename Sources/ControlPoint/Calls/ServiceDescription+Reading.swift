import NIOCore
import SCPD
import Text
import UPnP
import XML

extension ServiceDescription {
  /// The limits of a document.
  public static let limits = XMLTree.Limits(bytes: 512 * 1024, elements: 16 * 1024)
  /// The limits on actions, arguments of one action, variables, and allowed values of one variable; more are ignored.
  public static let maximumActions = 256
  public static let maximumArguments = 64
  public static let maximumVariables = 512
  public static let maximumAllowedValues = 256
  /// The longest allowed or default value, in characters; a longer one is ignored.
  public static let maximumValueLength = 256

  /// Reads the service description (SCPD) of another device, by local names.
  ///
  /// Accepts what devices in the field send: a document that isn't well-formed, missing lists, unknown types (read as
  /// strings), arguments without a variable. Names that couldn't be written into a request are left out.
  ///
  /// - Throws: ``XMLError/malformed`` also for a document that isn't a service description.
  public static func read(_ document: ByteBuffer) throws(XMLError) -> ServiceDescription {
    let root = try XMLTree.read(document, limits: limits)
    guard root.name == "scpd" else { throw .malformed }
    var variables: [StateVariable] = []
    var positions: [String: Int] = [:]
    for node in root.items("serviceStateTable", "stateVariable", limit: maximumVariables) {
      guard let variable = variable(node), positions[variable.name] == nil else { continue }
      positions[variable.name] = variables.count
      variables.append(variable)
    }
    var actions: [ActionDescription] = []
    var names: Set<String> = []
    for node in root.items("actionList", "action", limit: maximumActions) {
      guard let name = node.wireName, names.insert(name).inserted else { continue }
      var action = ActionDescription(name: name, inputs: [], outputs: [])
      for argument in node.items("argumentList", "argument", limit: maximumArguments) {
        guard let name = argument.wireName else { continue }
        let related = argument.text(of: "relatedStateVariable") ?? unknown.name
        let index = positions[related] ?? position(ofUnknownIn: &variables, &positions)
        let described = ArgumentDescription(name: name, variable: index)
        if argument.text(of: "direction")?.lowercased() == "out" {
          action.outputs.append(described)
        } else {
          action.inputs.append(described)
        }
      }
      actions.append(action)
    }
    return ServiceDescription(actions: actions, variables: variables)
  }

  /// The variable of arguments that name none, or none that there is.
  private static let unknown = StateVariable(name: "A_ARG_TYPE_Unknown", type: .string, sendsEvents: false)

  private static func position(
    ofUnknownIn variables: inout [StateVariable], _ positions: inout [String: Int]
  ) -> Int {
    if let known = positions[unknown.name] { return known }
    positions[unknown.name] = variables.count
    variables.append(unknown)
    return variables.count - 1
  }

  private static func variable(_ node: XMLNode) -> StateVariable? {
    guard let name = node.wireName else { return nil }
    let type = type(node.text(of: "dataType") ?? "string")
    // "yes" is the default (UPnP Device Architecture, "Description").
    let events = node.attributes["sendEvents"] ?? node.text(of: "sendEventsAttribute") ?? "yes"
    let allowed = node.items("allowedValueList", "allowedValue", limit: maximumAllowedValues)
      .compactMap { short($0.text.trimmingASCIISpace) }.filter { !$0.isEmpty }
    return StateVariable(
      name: name, type: type, sendsEvents: events.trimmingASCIISpace.lowercased() != "no",
      defaultValue: node.text(of: "defaultValue").flatMap(short),
      allowedValues: type == .string ? allowed : [], range: range(node, type))
  }

  private static func short(_ text: String) -> String? {
    text.unicodeScalars.count <= maximumValueLength ? text : nil
  }

  private static func type(_ text: String) -> ValueType {
    switch text.lowercased() {
    case "int": .i4
    case "bool": .boolean
    case let known: ValueType(rawValue: known) ?? .string
    }
  }

  /// Nil for bounds that no value could meet.
  private static func range(_ node: XMLNode, _ type: ValueType) -> AllowedRange? {
    guard let node = node.child("allowedValueRange"), let bounds = type.integerRange,
      let minimum = node.number("minimum"), let maximum = node.number("maximum"),
      bounds.contains(minimum), bounds.contains(maximum), minimum <= maximum
    else { return nil }
    let step = node.number("step").flatMap { $0 > 0 ? $0 : nil }
    return AllowedRange(minimum: minimum, maximum: maximum, step: step)
  }
}

extension XMLNode {
  /// The elements called `item` in the first list called `list`.
  fileprivate func items(_ list: String, _ item: String, limit: Int) -> ArraySlice<XMLNode> {
    (child(list)?.children(item) ?? []).prefix(limit)
  }

  /// The text of the child `name`, if it can be written into a request.
  fileprivate var wireName: String? { text(of: "name").flatMap { $0.isWireName ? $0 : nil } }

  fileprivate func number(_ name: String) -> Int64? { text(of: name).flatMap { Int64($0, radix: 10) } }
}
