import JSON

/// What is wrong with the description of the API.
struct DescriptionError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The description of the API, as far as code is made of it.
struct APIDocument {
  /// The whole of it.
  var json: JSONValue
  var schemas: [APISchema] = []
  var operations: [APIOperation] = []

  init(_ json: JSONValue) throws {
    self.json = json
    for schema in try json.need("components").need("schemas").members {
      schemas.append(try APISchema(schema.name, schema.value))
    }
    for path in try json.need("paths").members {
      for method in path.value.members {
        operations.append(try APIOperation(path: path.name, method: method.name, method.value))
      }
    }
  }

  /// The names of the schemas that requests have, and those inside of them.
  var readSchemas: Set<String> { reachable(operations.compactMap(\.body)) }

  /// The names of the schemas that answers have, and those inside of them.
  var writtenSchemas: Set<String> {
    reachable(["Problem"] + operations.compactMap(\.written))
  }

  private func reachable(_ names: [String]) -> Set<String> {
    var (found, open) = (Set<String>(), names)
    while let name = open.popLast() {
      guard found.insert(name).inserted, let schema = schemas.first(where: { $0.name == name }) else {
        continue
      }
      open += schema.properties.compactMap(\.type.reference)
    }
    return found
  }
}

extension JSONValue {
  var members: [JSONMember] { if case .object(let members) = self { members } else { [] } }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var integer: Int? { number.flatMap { Int(exactly: $0) } }

  func need(_ name: String) throws -> JSONValue {
    guard let value = self[name] else { throw DescriptionError("no member “\(name)”") }
    return value
  }
}
