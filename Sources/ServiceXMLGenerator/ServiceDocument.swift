import Foundation
import SCPD

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// One file of `ServiceXML`: an SCPD, and what the generated code has to know beyond it.
struct ServiceDocument {
  /// The file's name without its ending, which is also the name of the generated enum: `Volume4`.
  let name: String
  let description: ServiceDescription
  let identity: Identity
  /// The namespace of the document in `LastChange`; nil for a service that sends its variables one by one.
  let lastChange: String?
  /// Variables that `LastChange` doesn't contain: control points have to ask for them.
  let polled: Set<String>
  /// The time that a call may take, in seconds, by the action's name: `<action seconds="15">`, for those that need more than
  /// the others.
  let seconds: [String: Int]
  /// The error codes of the actions that are listed and always refused: `<action fault="800">`.
  let faults: [String: Int]
  /// The actions that wait for something, such as the disk: `<action later="yes">`.
  let later: Set<String>
  /// What the document of `LastChange` has that the AV services' lacks; nil for nothing.
  let lastChangeForm: LastChangeForm?
  /// The enumerations of the player whose cases are allowed values of a variable, by the variable's name.
  let playerTypes: [String: PlayerType]

  /// True for a service of the ZonePlayer device, whose control points need every list of arguments and whole events.
  var isZone: Bool { name.hasPrefix("Zone") }

  /// The attributes `element`, `prefix` and `prefixNamespace` of `LastChange`.
  struct LastChangeForm: Equatable {
    var element: String
    var prefix: (name: String, namespace: String)?

    static func == (left: Self, right: Self) -> Bool {
      left.element == right.element && left.prefix?.name == right.prefix?.name
        && left.prefix?.namespace == right.prefix?.namespace
    }
  }

  /// An enumeration of the player.
  struct PlayerType: Equatable {
    var name: String
    /// Allowed values that the enumeration doesn't have: `<allowedValue player="no">`.
    var lacks: Set<String> = []
  }

  /// The type and the id of the service, as device descriptions give them.
  struct Identity: Equatable {
    /// `schemas-upnp-org`
    var domain: String
    /// `upnp-org`
    var idDomain: String
    var name: String
    var version: Int
  }

  /// Reads the file called `name`.
  ///
  /// - Throws: ``SCPDError``, or the XML parser's own error.
  init(name: String, data: Data) throws {
    self.name = name
    description = try SCPDParser.parse(data)
    guard let root = try XMLDocument(data: data).rootElement() else { throw SCPDError("no root element") }
    identity = try Self.identity(root)
    let typed = "\(identity.name)\(identity.version)"
    guard typed == name || "Zone\(typed)" == name else {
      throw SCPDError("the type is of \(identity.name), version \(identity.version): name the file for it")
    }
    seconds = try Self.numbers(
      "seconds", of: root, 1...60, meaning: "the time that a call may take, at most 60")
    faults = try Self.numbers(
      "fault", of: root, 400...899, meaning: "the error that the action always throws")
    later = Set(
      try SCPDParser.children(of: root, list: "actionList", item: "action")
        .filter { SCPDParser.attribute("later", of: $0) == "yes" }
        .map { try SCPDParser.text($0, "name", in: "an action") })
    let variables = try SCPDParser.children(of: root, list: "serviceStateTable", item: "stateVariable")
    func values(of attribute: String) throws -> [String: String] {
      var values: [String: String] = [:]
      for variable in variables {
        guard let value = SCPDParser.attribute(attribute, of: variable) else { continue }
        values[try SCPDParser.text(variable, "name", in: "a state variable")] = value
      }
      return values
    }
    let namespaces = try values(of: "namespace")
    lastChange = namespaces["LastChange"]
    let element = try values(of: "element")["LastChange"]
    let prefix = try values(of: "prefix")["LastChange"]
    let prefixNamespace = try values(of: "prefixNamespace")["LastChange"]
    guard (prefix == nil) == (prefixNamespace == nil) else {
      throw SCPDError("LastChange needs both prefix and prefixNamespace, or none")
    }
    lastChangeForm =
      element == nil && prefix == nil
      ? nil
      : LastChangeForm(
        element: element ?? "InstanceID",
        prefix: prefix.flatMap { name in prefixNamespace.map { (name, $0) } })
    polled = Set(try values(of: "polled").keys)
    var types = try values(of: "player").mapValues { PlayerType(name: $0) }
    for variable in variables {
      let name = try SCPDParser.text(variable, "name", in: "a state variable")
      let allowed = try SCPDParser.children(
        of: variable, list: "allowedValueList", item: "allowedValue", required: false)
      let lacking = allowed.filter { SCPDParser.attribute("player", of: $0) == "no" }
      types[name]?.lacks = Set(lacking.map { $0.stringValue ?? "" })
    }
    playerTypes = types
    let hasLastChange = description.variables.contains { $0.name == "LastChange" }
    guard hasLastChange == (lastChange != nil), namespaces.count == (hasLastChange ? 1 : 0) else {
      throw SCPDError("LastChange has a namespace, and nothing else has")
    }
    guard hasLastChange || polled.isEmpty else { throw SCPDError("only LastChange can leave out variables") }
    for variable in description.variables where playerTypes[variable.name] != nil {
      guard !variable.allowedValues.isEmpty else {
        throw SCPDError("\(variable.name): only a variable with allowed values has a type of the player")
      }
    }
  }

  /// Reads `type="urn:DOMAIN:service:NAME:VERSION" id="urn:DOMAIN:serviceId:NAME"`.
  private static func identity(_ root: XMLElement) throws -> Identity {
    let type = SCPDParser.attribute("type", of: root)?.split(separator: ":").map(String.init) ?? []
    let id = SCPDParser.attribute("id", of: root)?.split(separator: ":").map(String.init) ?? []
    guard type.count == 5, type[0] == "urn", type[2] == "service", let version = Int(type[4]), version > 0,
      id.count == 4, id[0] == "urn", id[2] == "serviceId", id[3] == type[3]
    else { throw SCPDError("<scpd> needs the type and the id of the service") }
    return Identity(domain: type[1], idDomain: id[1], name: type[3], version: version)
  }

  /// Reads a number that actions have as the attribute called `attribute`, by the actions' names.
  private static func numbers(
    _ attribute: String, of root: XMLElement, _ allowed: ClosedRange<Int>, meaning: String
  ) throws -> [String: Int] {
    var numbers: [String: Int] = [:]
    for action in try SCPDParser.children(of: root, list: "actionList", item: "action") {
      guard let text = SCPDParser.attribute(attribute, of: action) else { continue }
      let name = try SCPDParser.text(action, "name", in: "an action")
      guard let value = Int(text), allowed.contains(value) else {
        throw SCPDError("\(name): \(attribute) is \(meaning)")
      }
      numbers[name] = value
    }
    return numbers
  }
}
