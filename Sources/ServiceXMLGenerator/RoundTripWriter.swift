import SCPD

/// Writes for tests: calls each action of a proxy with arguments in their form on the wire, and returns the results in that
/// form; and reads event messages, and returns the variables in that form.
struct RoundTripWriter {
  let document: ServiceDocument

  var source: String {
    """
    // Made from ServiceXML/\(document.name).xml when the project is built.
    import ControlPoint
    import Proxies
    import UPnP

    extension RoundTrip {
      package static let of\(document.name) = [
    \(document.description.actions.map(trip).joined(separator: "\n"))
      ]
    }

    extension EventTrip {
      package static let of\(document.name) = EventTrip(service: \(document.literal(document.name))) {
        (properties) throws(ActionFailure) in
        let changes = try \(document.name).Changes(properties)
        var values: [String: String] = [:]
    \(variables)
        return values
      }
    }

    """
  }

  private var variables: String {
    let writer = ProxyWriter(document: document)
    return writer.evented.map { variable in
      let (name, property) = (variable.name, document.property(variable))
      return writer.channelled.contains(name)
        ? "    for (channel, value) in changes.\(property) { values[\"\(name)/\\(channel.wire)\"] = value.wire }"
        : "    values[\"\(name)\"] = changes.\(property)?.wire"
    }.joined(separator: "\n")
  }

  private func trip(_ action: ActionDescription) -> String {
    let inputs = action.inputs.enumerated().map {
      "\(SwiftName.label($0.element.name)): inputs.value(\($0.offset))"
    }
    let call =
      "try await \(document.name).Proxy(service).\(SwiftName.lowerCamel(action.name))(\(inputs.joined(separator: ", ")))"
    let body =
      switch action.outputs.count {
      case 0: "\(call)\n      return []"
      case 1: "return [\(call).wire]"
      default:
        "let result = \(call)\n      return ["
          + action.outputs.map { "result.\(SwiftName.lowerCamel($0.name)).wire" }.joined(separator: ", ")
          + "]"
      }
    return """
          RoundTrip(service: \(document.literal(document.name)), action: \(document.literal(action.name))) {
            (service, inputs) async throws(ActionFailure) in
            \(body)
          },
      """
  }
}
