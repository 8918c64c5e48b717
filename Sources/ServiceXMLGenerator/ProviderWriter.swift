import SCPD

/// Writes the service's half:
/// - `protocol View`: a property for each variable that a getter or an event reports;
/// - `protocol Commands`: a method for each action that isn't a plain getter;
/// - `perform`: calls one of these two with the checked arguments, and collects the results;
/// - `eventedValues(of:holding:)`: what subscribers are sent;
/// - `protocol Provider`: a service that has a view and commands, and all else by default.
struct ProviderWriter {
  let document: ServiceDocument

  private var description: ServiceDescription { document.description }
  private var hasCommands: Bool { !document.commands.isEmpty }
  private var hasVersions: Bool { !document.olderVersions.isEmpty }

  var members: String {
    """
      /// What the getters and the events of this service show.
      protocol View {
    \(document.shownVariables.map { "    var \(document.property($0)): \(document.type($0)) { get }" }.joined(separator: "\n"))
      }

    \(commands)  /// A service that shows a view\(hasCommands ? " and carries out commands" : "").
      protocol Provider: ServiceProvider {
        associatedtype Shown: View
    \(hasCommands ? "    associatedtype Performer: Commands\n" : "")
        /// What the service shows now.
        var view: Shown { get }
    \(hasCommands ? "    /// The commands for one control point.\n    func commands(for context: ActionContext) -> Performer\n" : "")\
    \(hasVersions ? "    /// The version that is announced.\n    var version: Int { get }\n" : "")
      }

    \(perform)

    \(eventedValues)
    """
  }

  /// What every service of this description has in common; public, so that a public service can use it.
  var defaults: String {
    let name = document.name
    let style =
      document.lastChange.map { ".lastChange(namespace: \(document.literal($0))\(lastChangeForm))" }
      ?? ".properties"
    let version = hasVersions ? "version: version" : ""
    return """
      extension \(name).Provider {
        public var identity: ServiceIdentity { \(name).identity(\(version)) }
        public var description: ServiceDescription { \(name).description }
        public var scpd: (head: String, tail: String) { \(name).scpd\(hasVersions ? "(\(version))" : "") }
        public var eventing: EventStyle { \(style) }
      \(document.isZone ? "  public var sendsWholeEvents: Bool { true }\n" : "")\

        public func perform(_ call: inout ActionCall) throws(UPnPError) {
      \(hasCommands ? "    let context = call.context\n" : "")\
          try \(name).perform(&call, view: view\(hasCommands ? ", commands: commands(for: context)" : ""))
        }
      \(laterDefaults)\

        public func eventedValues() -> [EventedValue] { eventedValues(holding: .none) }

        public func eventedValues(holding held: HeldValues) -> [EventedValue] {
          \(name).eventedValues(of: view, \(hasVersions ? "\(version), " : "")holding: held)
        }
      }
      """
  }

  /// What differs in the document of `LastChange` from that of the AV services.
  private var lastChangeForm: String {
    guard let form = document.lastChangeForm else { return "" }
    let prefix = form.prefix.map {
      "prefix: \(document.literal($0.name)), prefixNamespace: \(document.literal($0.namespace)), "
    }
    return ", form: LastChangeForm(\(prefix ?? "")element: \(document.literal(form.element)))"
  }

  // MARK: Commands

  private var commands: String {
    guard hasCommands else { return "" }
    return """
        /// What the other actions do.
        protocol Commands {
      \(document.commands.map { "    \(signature($0))" }.joined(separator: "\n"))
        }


      """
  }

  private func signature(_ action: ActionDescription) -> String {
    let inputs = document.inputs(of: action).map {
      "\(SwiftName.lowerCamel($0.argument.name)): \(document.type(description.variables[$0.argument.variable]))"
    }
    let outputs = action.outputs.map {
      (SwiftName.lowerCamel($0.name), document.type(description.variables[$0.variable]))
    }
    let result =
      switch outputs.count {
      case 0: ""
      case 1: " -> \(outputs[0].1)"
      default: " -> (\(outputs.map { "\($0.0): \($0.1)" }.joined(separator: ", ")))"
      }
    let parameters = inputs.joined(separator: ", ")
    if document.later.contains(action.name) {
      return
        "nonisolated(nonsending) func \(SwiftName.lowerCamel(action.name))(\(parameters)) async throws(UPnPError)\(result)"
    }
    return "func \(SwiftName.lowerCamel(action.name))(\(parameters)) throws(UPnPError)\(result)"
  }

  // MARK: Perform

  private var perform: String {
    let cases = description.actions.enumerated().filter { !document.later.contains($0.element.name) }.map {
      index, action in
      let lines = document.isGetter(action) ? getter(action) : command(action)
      return "    case \(index):  // \(action.name)\n" + lines.map { "      \($0)" }.joined(separator: "\n")
    }
    let commands = hasCommands ? ", commands: @autoclosure () -> some Commands" : ""
    return """
        /// Performs the action of `call`, whose arguments have been checked.
        ///
        /// - Throws: what the command throws; `invalidAction` for an action that isn't in the description.
        static func perform(
          _ call: inout ActionCall, view: @autoclosure () -> some View\(commands)
        ) throws(UPnPError) {
          switch call.action {
      \(cases.joined(separator: "\n"))
          default: throw .invalidAction
          }
        }
      """ + performLater
  }

  /// As `perform`, for the actions that wait for something.
  private var performLater: String {
    let waiting = description.actions.enumerated().filter { document.later.contains($0.element.name) }
    guard !waiting.isEmpty else { return "" }
    let cases = waiting.map { index, action in
      "    case \(index):  // \(action.name)\n"
        + command(action, invoking: "try await commands").map { "      \($0)" }.joined(separator: "\n")
    }
    return """


        /// The actions that wait for something, such as the disk.
        static let laterActions: Set<Int> = [\(waiting.map { String($0.offset) }.joined(separator: ", "))]

        /// As `perform`, for ``laterActions``.
        nonisolated(nonsending) static func performLater(
          _ call: inout ActionCall, commands: some Commands
        ) async throws(UPnPError) {
          switch call.action {
      \(cases.joined(separator: "\n"))
          default: throw .invalidAction
          }
        }
      """
  }

  private var laterDefaults: String {
    guard !document.later.isEmpty else { return "" }
    return """

        public func waits(_ action: Int) -> Bool { \(document.name).laterActions.contains(action) }

        nonisolated(nonsending) public func performLater(_ call: ActionCall) async throws(UPnPError) -> ActionCall {
          var call = call
          try await \(document.name).performLater(&call, commands: commands(for: call.context))
          return call
        }

      """
  }

  private func getter(_ action: ActionDescription) -> [String] {
    ["let shown = view()"]
      + action.outputs.map { "call.output(shown.\(document.property(description.variables[$0.variable])))" }
  }

  private func command(
    _ action: ActionDescription, invoking commands: String = "try commands()"
  ) -> [String] {
    if let code = document.faults[action.name] {
      return ["throw UPnPError(code: \(code), description: \"Not supported\")"]
    }
    let inputs = document.inputs(of: action).map {
      "\(SwiftName.label($0.argument.name)): call.input(\($0.position))"
    }
    let invocation = "\(commands).\(SwiftName.lowerCamel(action.name))(\(inputs.joined(separator: ", ")))"
    switch action.outputs.count {
    case 0: return [invocation]
    case 1: return ["call.output(\(invocation))"]
    default:
      return ["let result = \(invocation)"]
        + action.outputs.map { "call.output(result.\(SwiftName.lowerCamel($0.name)))" }
    }
  }

  // MARK: Events

  private var eventedValues: String {
    let values = document.eventedVariables.map {
      let held = $0.moderation > .zero ? "held[\(document.literal($0.name))] ?? " : ""
      let value = "\(held)view.\(document.property($0)).wire"
      return "      EventedValue(name: \(document.literal($0.name)), value: \(value)),"
    }
    let version = hasVersions ? "version: Int, " : ""
    return """
        /// What subscribers are sent, in the description's order.
        ///
        /// Moderated variables in `held` aren't read from the view.
        static func eventedValues(
          of view: some View, \(version)holding held: HeldValues = .none
        ) -> [EventedValue] {
          \(hasVersions ? "let values = " : "")[
      \(values.joined(separator: "\n"))
          ]
      \(hasVersions ? laterVersions + "\n" : "")  }
      """
  }

  /// Leaves out what an older version doesn't have.
  private var laterVersions: String {
    let cases = document.olderVersions.compactMap { version -> String? in
      let newer = document.eventedVariables.filter { $0.since > version }.map { document.literal($0.name) }
      guard !newer.isEmpty else { return nil }
      let names = newer.joined(separator: ", ")
      return "    case ...\(version): return values.filter { ![\(names)].contains($0.name) }"
    }
    return """
          switch version {
      \(cases.joined(separator: "\n"))
          default: return values
          }
      """
  }
}
