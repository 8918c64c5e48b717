import SCPD

/// Writes the control point's half: for `Volume4.xml`, a public `enum Volume4` with
/// - one enumeration for each variable with a list of allowed values, open to what other devices send beyond it;
/// - `Changes`: what an event message says;
/// - `Proxy`: a method for each action.
struct ProxyWriter {
  let document: ServiceDocument

  private var description: ServiceDescription { document.description }

  var source: String {
    """
    // Made from ServiceXML/\(document.name).xml when the project is built. Changes belong there.
    import ControlPoint
    import Text
    import UPnP

    /// The service `urn:\(document.identity.domain):service:\(document.identity.name)` of another device.
    public enum \(document.name) {
    \(enumerations)
    \(changes)

    \(proxy)
    }

    """
  }

  // MARK: Values

  private func type(_ variable: StateVariable) -> String {
    if !variable.allowedValues.isEmpty { return SwiftName.type(variable.name) }
    return variable.isLong ? "String" : variable.type == .base64 ? "[UInt8]" : document.type(variable)
  }

  private var enumerations: String {
    description.variables.filter { !$0.allowedValues.isEmpty }.map { variable in
      let cases = variable.allowedValues.map { (SwiftName.lowerCamel($0), document.literal($0)) }
      return """
          /// The values of `\(variable.name)`.
          public enum \(SwiftName.type(variable.name)): WireValue, Hashable {
        \(cases.map { "    case \($0.0)" }.joined(separator: "\n"))
            /// A value that isn't listed above, as it was sent.
            case other(String)

            public init(wire: String) {
              self = switch wire.trimmingASCIISpace {
        \(cases.map { "      case \($0.1): .\($0.0)" }.joined(separator: "\n"))
              default: .other(wire)
              }
            }

            public var wire: String {
              switch self {
        \(cases.map { "      case .\($0.0): \($0.1)" }.joined(separator: "\n"))
              case .other(let text): text
              }
            }
          }


        """
    }.joined()
  }

  // MARK: Changes

  /// What an event message may contain. Other devices send in `LastChange` what ours leave out.
  var evented: [StateVariable] {
    description.variables.filter {
      document.lastChange == nil ? $0.sendsEvents : !$0.isArgumentTypeOnly && $0.name != "LastChange"
    }
  }

  /// The variables that have a value for each channel: an action has them and a channel as arguments.
  var channelled: Set<String> {
    guard document.lastChange != nil else { return [] }
    func name(_ argument: ArgumentDescription) -> String { description.variables[argument.variable].name }
    let actions = description.actions.filter { $0.inputs.contains { name($0) == Self.channel } }
    return Set(actions.flatMap { ($0.inputs + $0.outputs).map(name) })
  }

  private static let channel = "A_ARG_TYPE_Channel"

  private var changes: String {
    let channelled = channelled
    let channel = SwiftName.type(Self.channel)
    let properties = evented.map { variable in
      let isChannelled = channelled.contains(variable.name)
      let type = isChannelled ? "[\(channel): \(type(variable))]" : "\(type(variable))?"
      let value = isChannelled ? " = [:]" : ""
      return "    public var \(document.property(variable)): \(type)\(value)"
    }
    let readings = evented.map { variable in
      let name = document.literal(variable.name)
      let value = channelled.contains(variable.name) ? "changed.channels(\(name))" : "changed[\(name)]"
      return "      \(document.property(variable)) = \(value)"
    }
    return """
        /// What an event message says: nil, or no channel, is unchanged.
        public struct Changes: ServiceChanges {
      \(properties.joined(separator: "\n"))

          public init() {}

          public init(_ changed: ChangedValues) {
      \(readings.joined(separator: "\n"))
          }
        }
      """
  }

  // MARK: Proxy

  private var proxy: String {
    let identity = document.identity
    return """
        /// The actions of the service.
        public struct Proxy: ServiceProxy {
          public typealias Changes = \(document.name).Changes
          public static let identity = ServiceIdentity(
            domain: \(document.literal(identity.domain)), idDomain: \(document.literal(identity.idDomain)),
            name: \(document.literal(identity.name)), version: \(identity.version))

          public let service: RemoteService

          public init(_ service: RemoteService) { self.service = service }
      \(description.actions.map(method).joined())  }
      """
  }

  private func method(_ action: ActionDescription) -> String {
    let inputs = action.inputs.map { argument in
      let variable = description.variables[argument.variable]
      let value =
        switch variable.name {
        case "A_ARG_TYPE_InstanceID": " = 0"
        case Self.channel where variable.allowedValues.contains("Master"): " = .master"
        case "TransportPlaySpeed" where variable.allowedValues.contains("1"):
          " = .\(SwiftName.lowerCamel("1"))"
        default: ""
        }
      return "\(SwiftName.lowerCamel(argument.name)): \(type(variable))\(value)"
    }
    let outputs = action.outputs.map { argument in
      let type = type(description.variables[argument.variable])
      let name = document.literal(argument.name)
      return (
        name: SwiftName.lowerCamel(argument.name), type: type,
        value: type == "String" ? "results.text(\(name))" : "try results.value(\(name))"
      )
    }
    let (result, answer): (String, String) =
      switch outputs.count {
      case 0: ("", "")
      case 1: (" -> \(outputs[0].type)", "\n      return \(outputs[0].value)")
      default:
        (
          " -> (\(outputs.map { "\($0.name): \($0.type)" }.joined(separator: ", ")))",
          "\n      return (\n"
            + outputs.map { "        \(SwiftName.label($0.name)): \($0.value)" }.joined(separator: ",\n")
            + "\n      )"
        )
      }
    let arguments = action.inputs.map {
      "SOAPArgument(name: \(document.literal($0.name)), text: \(SwiftName.lowerCamel($0.name)).wire)"
    }
    let repeatable = document.isRepeatable(action) ? ", isRepeatable: true" : ""
    let slow = document.seconds[action.name].map { ", seconds: \($0)" } ?? ""
    return """

          /// Calls `\(action.name)`.
          public func \(SwiftName.lowerCamel(action.name))(\(inputs.joined(separator: ", "))) async throws(ActionFailure)\(result) {
            \(outputs.isEmpty ? "_" : "let results") = try await service.call(
              \(document.literal(action.name)), [\(arguments.joined(separator: ", "))]\(repeatable)\(slow))\(answer)
          }

      """
  }
}
