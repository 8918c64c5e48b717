import Foundation
import SCPD

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An error in a service description.
struct SCPDError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Reads an SCPD and refuses every description that couldn't be served exactly as written.
///
/// It is deliberately stricter than the UPnP Device Architecture: the file is the only definition of the service, so
/// nothing in it may be optional, implied or open-ended.
enum SCPDParser {
  /// Parses an SCPD document.
  ///
  /// - Throws: ``SCPDError``, or the XML parser's own error.
  static func parse(_ data: Data) throws -> ServiceDescription {
    let document = try XMLDocument(data: data)
    guard let root = document.rootElement(), root.localName == "scpd" else {
      throw SCPDError("the root element is not <scpd>")
    }
    let variables = try children(of: root, list: "serviceStateTable", item: "stateVariable").map(variable)
    try requireUnique(variables.map(\.name), what: "state variable")
    let actions = try children(of: root, list: "actionList", item: "action").map {
      try action($0, variables: variables)
    }
    try requireUnique(actions.map(\.name), what: "action")
    return ServiceDescription(actions: actions, variables: variables)
  }

  // MARK: State variables

  private static func variable(_ element: XMLElement) throws -> StateVariable {
    let name = try text(element, "name", in: "a state variable")
    try refuseOptional(element, name)
    guard let events = attribute("sendEvents", of: element), events == "yes" || events == "no" else {
      throw SCPDError("\(name): sendEvents must be written, as yes or no")
    }
    let typeName = try text(element, "dataType", in: name)
    guard let type = ValueType(rawValue: typeName) else {
      throw SCPDError("\(name): unknown dataType \(typeName)")
    }
    let allowed = try children(of: element, list: "allowedValueList", item: "allowedValue", required: false)
      .map { $0.stringValue ?? "" }
    guard allowed.isEmpty || type == .string else {
      throw SCPDError("\(name): only a string can have an allowedValueList")
    }
    try requireUnique(allowed, what: "allowed value of \(name)")
    if name.hasPrefix("A_ARG_TYPE_"), events == "yes" {
      throw SCPDError("\(name): an argument type is never evented")
    }
    return StateVariable(
      name: name, type: type, sendsEvents: events == "yes",
      defaultValue: element.elements(forName: "defaultValue").first?.stringValue,
      allowedValues: allowed, range: try range(element, name: name, type: type),
      since: try since(element, name), isLong: try isLong(element, name, type: type),
      moderation: try moderation(element, name, isEvented: events == "yes"))
  }

  /// Reads `since="2"`, which means that version 1 of the service lacks this.
  private static func since(_ element: XMLElement, _ name: String) throws -> Int {
    guard let text = attribute("since", of: element) else { return 1 }
    guard let version = Int(text), (2...99).contains(version) else {
      throw SCPDError("\(name): since is the version that brought it, 2 or later")
    }
    return version
  }

  /// Reads `long="yes"`, which means that the string is built in pieces.
  private static func isLong(_ element: XMLElement, _ name: String, type: ValueType) throws -> Bool {
    guard let text = attribute("long", of: element) else { return false }
    guard text == "yes", type == .string else {
      throw SCPDError("\(name): only a string is long, by long=\"yes\"")
    }
    return true
  }

  /// Reads `moderation="300"`, the shortest time between two events in milliseconds.
  private static func moderation(
    _ element: XMLElement, _ name: String, isEvented: Bool
  ) throws -> Duration {
    guard let text = attribute("moderation", of: element) else { return .zero }
    guard let milliseconds = Int(text), (1...10_000).contains(milliseconds), isEvented else {
      throw SCPDError("\(name): moderation is a number of milliseconds, of a variable that sends events")
    }
    return .milliseconds(milliseconds)
  }

  private static func range(_ element: XMLElement, name: String, type: ValueType) throws -> AllowedRange? {
    guard let range = element.elements(forName: "allowedValueRange").first else { return nil }
    guard let bounds = type.integerRange else {
      throw SCPDError("\(name): only a number can have an allowedValueRange")
    }
    func number(_ tag: String) throws -> Int64? {
      guard let text = range.elements(forName: tag).first?.stringValue else { return nil }
      guard let value = Int64(text) else { throw SCPDError("\(name): \(tag) \(text) is not a whole number") }
      return value
    }
    guard let minimum = try number("minimum"), let maximum = try number("maximum") else {
      throw SCPDError("\(name): a range needs both minimum and maximum")
    }
    guard minimum <= maximum, bounds.contains(minimum), bounds.contains(maximum) else {
      throw SCPDError("\(name): the range \(minimum)...\(maximum) does not fit \(type.rawValue)")
    }
    return AllowedRange(minimum: minimum, maximum: maximum, step: try number("step"))
  }

  // MARK: Actions

  private static func action(_ element: XMLElement, variables: [StateVariable]) throws -> ActionDescription {
    let name = try text(element, "name", in: "an action")
    try refuseOptional(element, name)
    var action = ActionDescription(name: name, inputs: [], outputs: [], since: try since(element, name))
    for argument in try children(of: element, list: "argumentList", item: "argument", required: false) {
      let argumentName = try text(argument, "name", in: name)
      let related = try text(argument, "relatedStateVariable", in: "\(name).\(argumentName)")
      guard let index = variables.firstIndex(where: { $0.name == related }) else {
        throw SCPDError("\(name).\(argumentName): there is no state variable \(related)")
      }
      let described = ArgumentDescription(
        name: argumentName, variable: index, since: try since(argument, "\(name).\(argumentName)"),
        absent: attribute("absent", of: argument))
      switch try text(argument, "direction", in: "\(name).\(argumentName)") {
      case "in" where action.outputs.isEmpty: action.inputs.append(described)
      case "out" where described.absent != nil:
        throw SCPDError("\(name).\(argumentName): only an in argument can be absent")
      case "in": throw SCPDError("\(name).\(argumentName): in arguments come before out arguments")
      case "out": action.outputs.append(described)
      case let other: throw SCPDError("\(name).\(argumentName): direction \(other) is neither in nor out")
      }
    }
    try requireUnique((action.inputs + action.outputs).map(\.name), what: "argument of \(name)")
    return action
  }

  // MARK: Elements

  static func children(
    of element: XMLElement, list: String, item: String, required: Bool = true
  ) throws -> [XMLElement] {
    guard let list = element.elements(forName: list).first else {
      guard required else { return [] }
      throw SCPDError("<\(list)> is missing")
    }
    return list.elements(forName: item)
  }

  static func text(_ element: XMLElement, _ tag: String, in place: String) throws -> String {
    guard let text = element.elements(forName: tag).first?.stringValue, !text.isEmpty,
      text == text.trimmingCharacters(in: .whitespacesAndNewlines)
    else { throw SCPDError("\(place): <\(tag)> is missing, empty or has space around it") }
    return text
  }

  /// Replaces `attribute(forName:)`, which finds nothing in a document with a namespace.
  static func attribute(_ name: String, of element: XMLElement) -> String? {
    element.attributes?.first { $0.name == name }?.stringValue
  }

  private static func refuseOptional(_ element: XMLElement, _ name: String) throws {
    guard element.elements(forName: "Optional").isEmpty else {
      throw SCPDError("\(name): what is optional is either served or not in the file: remove <Optional/>")
    }
  }

  private static func requireUnique(_ names: [String], what: String) throws {
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw SCPDError("\(what) \(name) stands twice")
    }
  }
}
