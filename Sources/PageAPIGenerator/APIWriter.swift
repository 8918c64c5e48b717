import JSON

/// Writes the Swift code of the whole API: its types, the protocols of its handlers, and the way from a request to a handler.
struct APIWriter {
  let document: APIDocument

  /// The groups of handlers, in the description's order.
  private var groups: [String] {
    document.operations.reduce(into: []) { if !$0.contains($1.group) { $0.append($1.group) } }
  }

  var source: String {
    """
    // Made from Sources/Page/openapi.json when the project is built. Changes belong there.
    import HTTP
    import JSON

    /// The page's API, as Sources/Page/openapi.json describes it.
    public enum API {
    \(types)

    \(operations)

      /// The description itself, as JSON.
      static let description: StaticString = ###"\(description)"###
    }

    \(readings)

    \(protocols)

    \(handlers)

    """
  }

  private var types: String {
    let (read, written) = (document.readSchemas, document.writtenSchemas)
    let schemas = document.schemas.map { schema in
      SchemaWriter(
        schema: schema, isRead: read.contains(schema.name), isWritten: written.contains(schema.name)
      ).source
    }
    let enumerations = document.operations.flatMap { OperationWriter(operation: $0).enumerations }
    return (schemas + enumerations).joined(separator: "\n\n")
  }

  private var readings: String {
    document.schemas.filter { document.readSchemas.contains($0.name) }
      .map { SchemaWriter(schema: $0, isRead: true, isWritten: false).reading }.joined(separator: "\n\n")
  }

  private var description: String { String(decoding: document.json.json, as: UTF8.self) }

  private var operations: String {
    var paths: [String] = []
    for operation in document.operations where !paths.contains(operation.path) {
      paths.append(operation.path)
    }
    let routes = paths.map { path in
      let here = document.operations.filter { $0.path == path }
      let parts = here[0].parts.map { $0.map { "\"\($0)\"" } ?? "nil" }.joined(separator: ", ")
      let methods = here.map { "(\"\($0.method)\", .\($0.id))" }.joined(separator: ", ")
      return "    APIRoute(parts: [\(parts)], operations: [\(methods)]),"
    }
    return """
        /// Everything that can be asked for.
        enum Operation: String, Sendable, CaseIterable {
      \(document.operations.map { "    case \($0.id)" }.joined(separator: "\n"))

          /// Whether it has a body.
          var takesBody: Bool {
            switch self {
            case \(document.operations.filter { $0.body != nil }.map { ".\($0.id)" }.joined(separator: ", ")): true
            default: false
            }
          }

          /// Whether its body is taken in pieces.
          var takesPieces: Bool {
            switch self {
            case \(document.operations.filter { $0.takesPieces }.map { ".\($0.id)" }.joined(separator: ", ")): true
            default: false
            }
          }
        }

        static let routes: [APIRoute] = [
      \(routes.joined(separator: "\n"))
        ]
      """
  }

  private var protocols: String {
    groups.map { group in
      let operations = document.operations.filter { $0.group == group }
      return """
        /// Answers what is asked for below `\(operations[0].path)`. Called on the event loop.
        public protocol \(group)Handlers: Sendable {
        \(operations.map { OperationWriter(operation: $0).requirement }.joined(separator: "\n\n"))
        }
        """
    }.joined(separator: "\n\n")
  }

  private var handlers: String {
    let properties = groups.map { "  public var \(SwiftName.lower($0)): any \($0)Handlers" }
    let parameters = groups.map { "\(SwiftName.lower($0)): any \($0)Handlers" }.joined(separator: ", ")
    let values = groups.map { "    self.\(SwiftName.lower($0)) = \(SwiftName.lower($0))" }
    let calls = document.operations.flatMap { OperationWriter(operation: $0).call }
    return """
      /// All handlers of the API.
      public struct APIHandlers: Sendable {
      \(properties.joined(separator: "\n"))

        public init(\(parameters)) {
      \(values.joined(separator: "\n"))
        }

        /// Calls the handler of an operation.
        ///
        /// - Parameters:
        ///   - path: the parts of the path, still encoded.
        ///   - body: reads the body.
        func perform(
          _ operation: API.Operation, path: [Substring], _ context: APIContext,
          body: () throws(Problem) -> JSONValue
        ) throws(Problem) -> PendingReply {
          switch operation {
      \(calls.joined(separator: "\n"))
          }
        }
      }
      """
  }
}
