import SCPD

/// Writes the Swift code of one service.
///
/// For `Volume4.xml`, the output is `enum Volume4` with:
/// - `description` and `scpd`: the tables and the bytes that are served, and `scpd(version:)` if the service has
///   versions;
/// - one enum for each variable with a list of allowed values;
/// - `protocol View`: a property for each variable that a getter or an event reports;
/// - `protocol Commands`: a method for each action that isn't a plain getter;
/// - `perform`: calls one of these two with the checked arguments, and collects the results;
/// - `values(of:)` and `eventedValues(of:holding:)`: what subscribers are sent.
///
/// A plain getter is an action with no in arguments other than InstanceID, whose out arguments all relate to real state
/// variables. Services have no code for getters: their values are read from the view.
struct SwiftWriter {
  let name: String
  let description: ServiceDescription

  var source: String {
    """
    // Made from ServiceXML/\(name).xml when the project is built. Changes belong there.
    import SCPD
    import UPnP

    /// What ServiceXML/\(name).xml describes.
    enum \(name) {
    \(table)

      static let scpd: (head: String, tail: String) = (
        \(literal(SCPDWriter.head)),
        \(literal(SCPDWriter(description: description).tail))
      )
    \(olderVersions)\(enumerations)
      /// What the getters and the events of this service show.
      protocol View {
    \(viewVariables.map { "    var \(property($0)): \(type($0)) { get }" }.joined(separator: "\n"))
      }

      /// What the other actions do.
      protocol Commands {
    \(commands.map { "    \(signature($0))" }.joined(separator: "\n"))
      }

    \(perform)

    \(values)
    }

    """
  }

  // MARK: Tables

  private var table: String {
    let actions = description.actions.map { action in
      "      ActionDescription(name: \(literal(action.name)), inputs: \(arguments(action.inputs)),"
        + " outputs: \(arguments(action.outputs)), since: \(action.since)),"
    }
    let variables = description.variables.map { variable in
      let range = variable.range.map {
        "AllowedRange(minimum: \($0.minimum), maximum: \($0.maximum), step: \($0.step.map(String.init) ?? "nil"))"
      }
      return "      StateVariable(name: \(literal(variable.name)), type: .\(variable.type),"
        + " sendsEvents: \(variable.sendsEvents), defaultValue: \(variable.defaultValue.map(literal) ?? "nil"),"
        + " allowedValues: [\(variable.allowedValues.map(literal).joined(separator: ", "))], range: \(range ?? "nil"),"
        + " since: \(variable.since), isLong: \(variable.isLong), moderation: .milliseconds(\(variable.moderation / .milliseconds(1)))),"
    }
    return """
        static let description = ServiceDescription(
          actions: [
      \(actions.joined(separator: "\n"))
          ],
          variables: [
      \(variables.joined(separator: "\n"))
          ])
      """
  }

  private func arguments(_ list: [ArgumentDescription]) -> String {
    let items = list.map {
      "ArgumentDescription(name: \(literal($0.name)), variable: \($0.variable), since: \($0.since))"
    }
    return "[\(items.joined(separator: ", "))]"
  }

  private var enumerations: String {
    description.variables.filter { !$0.allowedValues.isEmpty }.map { variable in
      let cases = variable.allowedValues.map { "    case \(SwiftName.lowerCamel($0)) = \(literal($0))" }
      return """

          enum \(SwiftName.type(variable.name)): String, WireValue, Hashable, CaseIterable {
        \(cases.joined(separator: "\n"))
          }

        """
    }.joined()
  }

  /// The SCPDs for control points that ask for an older version.
  private var olderVersions: String {
    let newer =
      description.actions.flatMap { [$0.since] + ($0.inputs + $0.outputs).map(\.since) }
      + description.variables.map(\.since)
    let older = Set(newer).filter { $0 > 1 }.map { $0 - 1 }.sorted()
    guard !older.isEmpty else { return "" }
    let cases = older.map {
      "    case ...\($0): return (scpd.head, \(literal(SCPDWriter(description: description, version: $0).tail)))"
    }
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

  // MARK: Which variables and actions are which

  private func isGetter(_ action: ActionDescription) -> Bool {
    commandInputs(action).isEmpty && !action.outputs.isEmpty
      && action.outputs.allSatisfy { !description.variables[$0.variable].isArgumentTypeOnly }
  }

  private var commands: [ActionDescription] { description.actions.filter { !isGetter($0) } }

  private var viewVariables: [StateVariable] {
    let shown = Set(description.actions.filter(isGetter).flatMap { $0.outputs.map(\.variable) })
    return description.variables.indices.filter {
      shown.contains($0)
        || (description.variables[$0].sendsEvents && description.variables[$0].name != "LastChange")
    }.map { description.variables[$0] }
  }

  /// All in arguments except InstanceID, which is checked earlier.
  private func commandInputs(_ action: ActionDescription) -> [(position: Int, argument: ArgumentDescription)]
  {
    action.inputs.enumerated().filter {
      description.variables[$0.element.variable].name != "A_ARG_TYPE_InstanceID"
    }.map { ($0.offset, $0.element) }
  }

  // MARK: Code

  private func signature(_ action: ActionDescription) -> String {
    let inputs = commandInputs(action).map {
      "\(SwiftName.lowerCamel($0.argument.name)): \(type(description.variables[$0.argument.variable]))"
    }
    let outputs = action.outputs.map {
      (SwiftName.lowerCamel($0.name), type(description.variables[$0.variable]))
    }
    let result =
      switch outputs.count {
      case 0: ""
      case 1: " -> \(outputs[0].1)"
      default: " -> (\(outputs.map { "\($0.0): \($0.1)" }.joined(separator: ", ")))"
      }
    let parameters = inputs.joined(separator: ", ")
    return "func \(SwiftName.lowerCamel(action.name))(\(parameters)) throws(UPnPError)\(result)"
  }

  private var perform: String {
    let cases = description.actions.enumerated().map { index, action in
      let lines = isGetter(action) ? getter(action) : command(action)
      return "    case \(index):  // \(action.name)\n" + lines.map { "      \($0)" }.joined(separator: "\n")
    }
    return """
        /// Performs the action of `call`, whose arguments have been checked.
        ///
        /// - Throws: what the command throws; `invalidAction` for an action that isn't in the description.
        static func perform(
          _ call: inout ActionCall, view: @autoclosure () -> some View, commands: @autoclosure () -> some Commands
        ) throws(UPnPError) {
          switch call.action {
      \(cases.joined(separator: "\n"))
          default: throw .invalidAction
          }
        }
      """
  }

  private func getter(_ action: ActionDescription) -> [String] {
    ["let shown = view()"]
      + action.outputs.map { "call.output(shown.\(property(description.variables[$0.variable])))" }
  }

  private func command(_ action: ActionDescription) -> [String] {
    let inputs = commandInputs(action).map {
      "\(SwiftName.label($0.argument.name)): call.input(\($0.position))"
    }
    let invocation = "try commands().\(SwiftName.lowerCamel(action.name))(\(inputs.joined(separator: ", ")))"
    switch action.outputs.count {
    case 0: return [invocation]
    case 1: return ["call.output(\(invocation))"]
    default:
      return ["let result = \(invocation)"]
        + action.outputs.map { "call.output(result.\(SwiftName.lowerCamel($0.name)))" }
    }
  }

  private var values: String {
    func list(_ variables: [StateVariable], holding: Bool = false) -> String {
      variables.map {
        let held = holding && $0.moderation > .zero ? "held[\(literal($0.name))] ?? " : ""
        return "      EventedValue(name: \(literal($0.name)), value: \(held)view.\(property($0)).wire),"
      }.joined(separator: "\n")
    }
    return """
        /// Every variable of the view, in the description's order.
        static func values(of view: some View) -> [EventedValue] {
          [
      \(list(viewVariables))
          ]
        }

        /// The variables that are evented as properties of their own, in the description's order.
        ///
        /// Moderated ones in `held` aren't read from the view.
        static func eventedValues(of view: some View, holding held: HeldValues = .none) -> [EventedValue] {
          [
      \(list(viewVariables.filter(\.sendsEvents), holding: true))
          ]
        }
      """
  }

  // MARK: Names

  private func property(_ variable: StateVariable) -> String { SwiftName.lowerCamel(variable.name) }

  private func type(_ variable: StateVariable) -> String {
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

  private func literal(_ text: String) -> String {
    // Safe as long as the text doesn't contain `"###`, which would end the raw literal.
    "###\"\(text)\"###"
  }
}
