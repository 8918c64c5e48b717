import SCPD

/// Writes what both halves of a service share:
/// - `description` and `scpd`: the tables and the bytes that are served, and `scpd(version:)` if the service has
///   versions;
/// - `identity(version:)`: its type and id;
/// - one enum for each variable with a list of allowed values.
struct DescriptionWriter {
  let document: ServiceDocument

  private var description: ServiceDescription { document.description }

  var members: String {
    """
    \(table)

      static let scpd: (head: String, tail: String) = (
        \(document.literal(SCPDWriter.head)),
        \(document.literal(SCPDWriter(description: description, writesEmptyLists: document.isZone).tail))
      )
    \(olderVersions)
    \(identity)
    \(enumerations)
    """
  }

  private var identity: String {
    let identity = document.identity
    return """
        /// The type and the id of the service.
        static func identity(version: Int = \(identity.version)) -> ServiceIdentity {
          ServiceIdentity(
            domain: \(document.literal(identity.domain)), idDomain: \(document.literal(identity.idDomain)),
            name: \(document.literal(identity.name)), version: version)
        }
      """
  }

  private var table: String {
    let actions = description.actions.map { action in
      "      ActionDescription(name: \(document.literal(action.name)), inputs: \(arguments(action.inputs)),"
        + " outputs: \(arguments(action.outputs)), since: \(action.since)),"
    }
    return """
        static let description = ServiceDescription(
          actions: [
      \(actions.joined(separator: "\n"))
          ],
          variables: [
      \(description.variables.map(row).joined(separator: "\n"))
          ])
      """
  }

  private func row(_ variable: StateVariable) -> String {
    let range = variable.range.map {
      "AllowedRange(minimum: \($0.minimum), maximum: \($0.maximum), step: \($0.step.map(String.init) ?? "nil"))"
    }
    let allowed = variable.allowedValues.map(document.literal).joined(separator: ", ")
    return "      StateVariable(name: \(document.literal(variable.name)), type: .\(variable.type),"
      + " sendsEvents: \(variable.sendsEvents), defaultValue: \(variable.defaultValue.map(document.literal) ?? "nil"),"
      + " allowedValues: [\(allowed)], range: \(range ?? "nil"),"
      + " since: \(variable.since), isLong: \(variable.isLong),"
      + " moderation: .milliseconds(\(variable.moderation / .milliseconds(1)))),"
  }

  private func arguments(_ list: [ArgumentDescription]) -> String {
    let items = list.map {
      "ArgumentDescription(name: \(document.literal($0.name)), variable: \($0.variable), since: \($0.since)"
        + ($0.absent.map { ", absent: \(document.literal($0))" } ?? "") + ")"
    }
    return "[\(items.joined(separator: ", "))]"
  }

  /// The SCPDs for control points that ask for an older version.
  private var olderVersions: String {
    let cases = document.olderVersions.map {
      "    case ...\($0): return (scpd.head, \(document.literal(SCPDWriter(description: description, version: $0).tail)))"
    }
    guard !cases.isEmpty else { return "" }
    return """

        /// The SCPD as it was in `version`.
        static func scpd(version: Int) -> (head: String, tail: String) {
          switch version {
      \(cases.joined(separator: "\n"))
          default: return scpd
          }
        }

      """
  }

  private var enumerations: String {
    description.variables.filter { !$0.allowedValues.isEmpty }.map { variable in
      let cases = variable.allowedValues.map {
        "    case \(SwiftName.lowerCamel($0)) = \(document.literal($0))"
      }
      return """

          enum \(SwiftName.type(variable.name)): String, WireValue, Hashable, CaseIterable {
        \(cases.joined(separator: "\n"))
        \(conversions(variable))  }

        """
    }.joined()
  }

  /// From the enumeration of the player that has cases of the same names; and back, if it has all of them.
  private func conversions(_ variable: StateVariable) -> String {
    guard let type = document.playerTypes[variable.name] else { return "" }
    let cases = variable.allowedValues.filter { !type.lacks.contains($0) }.map(SwiftName.lowerCamel)
      .map { "      case .\($0): .\($0)" }.joined(separator: "\n")
    let from = """

          init(_ value: \(type.name)) {
            self = switch value {
      \(cases)
            }
          }

      """
    guard type.lacks.isEmpty else { return from }
    return from + """

          /// The player's value.
          var ofPlayer: \(type.name) {
            switch self {
      \(cases)
            }
          }

      """
  }
}
