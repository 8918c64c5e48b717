/// Writes what belongs to one operation: its line in a protocol of handlers, and its call.
struct OperationWriter {
  let operation: APIOperation

  /// The type of an enumeration among its parameters: `SearchObjectsKind`.
  private func enumeration(_ parameter: APIOperation.Parameter) -> String {
    SwiftName.type(operation.id, isList: false) + SwiftName.type(parameter.name, isList: false)
  }

  /// The enumerations of its parameters.
  var enumerations: [String] {
    operation.parameters.compactMap { parameter in
      guard let words = parameter.type.words else { return nil }
      let cases = words.map { word in
        let name = SwiftName.lower(word)
        return name == word ? "    case \(name)" : "    case \(name) = \"\(word)\""
      }
      return """
          /// The parameter `\(parameter.name)` of \(operation.method) \(operation.path).
          public enum \(enumeration(parameter)): String, Sendable, Hashable, CaseIterable {
        \(cases.joined(separator: "\n"))
          }
        """
    }
  }

  private var result: String {
    switch operation.result {
    case .json(let name): "API.\(name)"
    case .done: "Done"
    case .own: "Answer"
    }
  }

  /// The line in the protocol.
  var requirement: String {
    var parameters = operation.parameters.map { parameter in
      let type = parameter.type.swift(enumeration: "API." + enumeration(parameter))
      return "\(SwiftName.lower(parameter.name)): \(type)\(parameter.isRequired ? "" : "?")"
    }
    if let body = operation.body { parameters.append("_ body: API.\(body)") }
    parameters.append("_ context: APIContext")
    return """
        /// \(operation.summary): `\(operation.method) \(operation.path)`.
        func \(operation.id)(\(parameters.joined(separator: ", "))) -> Reply<\(result)>
      """
  }

  /// The case in the switch that calls the handler.
  var call: [String] {
    var lines: [String] = []
    let query = operation.parameters.filter { $0.place == "query" }
    let known = operation.checks ? "[\(query.map { "\"\($0.name)\"" }.joined(separator: ", "))]" : "nil"
    if operation.checks || !operation.parameters.isEmpty {
      lines.append(
        "let \(operation.parameters.isEmpty ? "_" : "parameters") = try APIParameters(path: path, head: context.head, known: \(known))"
      )
    }
    var arguments: [String] = []
    for parameter in operation.parameters {
      let name = SwiftName.lower(parameter.name)
      lines.append("let \(name) = try parameters.\(read(parameter))")
      arguments.append("\(name): \(name)")
    }
    if let body = operation.body {
      lines.append("let body = try API.\(body)(try body(), at: JSONPlace())")
      arguments.append("body")
    }
    arguments.append("context")
    let kind =
      switch operation.result {
      case .json: "json"
      case .done: "done"
      case .own: "own"
      }
    let group = SwiftName.lower(operation.group)
    lines.append("return .\(kind)(\(group).\(operation.id)(\(arguments.joined(separator: ", "))))")
    return ["    case .\(operation.id):"] + lines.map { "      \($0)" }
  }

  private func read(_ parameter: APIOperation.Parameter) -> String {
    let start = "\"\(parameter.name)\", .\(parameter.place), \(operation.index(of: parameter.name) ?? 0)"
    func call(_ name: String, _ rest: String = "") -> String {
      let name = parameter.isRequired ? name : "optional\(name.prefix(1).uppercased())\(name.dropFirst())"
      return "\(name)(\(start)\(rest))"
    }
    switch parameter.type {
    case .string(let length): return call("string", ", \(SwiftRange.text(length.0, length.1))")
    case .integer(let least, let most): return call("integer", ", \(SwiftRange.text(least, most))")
    default: return call("word", ", API.\(enumeration(parameter)).self")
    }
  }
}
