import JSON

/// A method at a path of the API.
struct APIOperation {
  /// What is answered when all is well.
  enum Result {
    case json(String)
    case done
    /// The handler makes the whole answer.
    case own
  }

  struct Parameter {
    var name: String
    /// `path`, `query` or `header`.
    var place: String
    var type: APIType
    var isRequired: Bool
  }

  var id: String
  var summary: String
  var method: String
  var path: String
  var parameters: [Parameter]
  /// The schema of its body; nil when it has none.
  var body: String?
  /// Whether its body isn't JSON, and comes to the handler in pieces once that has answered ``Answer/later``.
  var takesPieces: Bool
  var result: Result
  /// The schema of its answer, also where the handler makes the whole of it; nil when it has none.
  var written: String?
  /// Whether it may answer with 422.
  var checks: Bool

  init(path: String, method: String, _ json: JSONValue) throws {
    let id = try json.need("operationId").text ?? ""
    self.id = id
    self.path = path
    self.method = method.uppercased()
    summary = json["summary"]?.text ?? id
    parameters = try (json["parameters"]?.elements ?? []).map { json in
      let name = try json.need("name").text ?? ""
      return Parameter(
        name: name, place: try json.need("in").text ?? "",
        type: try APIType(try json.need("schema"), in: "\(id).\(name)"),
        isRequired: json["required"] == .boolean(true))
    }
    let isJSON = json["requestBody"]?["content"]?["application/octet-stream"] == nil
    takesPieces = !isJSON
    body = try json["requestBody"].flatMap { isJSON ? $0 : nil }.map {
      try $0.need("content").need("application/json").need("schema")["$ref"]?.text?.split(separator: "/").last
        .map(String.init) ?? ""
    }
    let responses = try json.need("responses")
    checks = responses["422"] != nil
    let name = responses["200"]?["content"]?["application/json"]?["schema"]?["$ref"]?.text?
      .split(separator: "/").last.map(String.init)
    written = name
    if responses["204"] != nil {
      result = .done
    } else if let name, isJSON {
      result = .json(name)
    } else {
      result = .own
    }
  }

  /// The path's parts; nil for a parameter.
  var parts: [String?] {
    path.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
  }

  /// The place in the path of the parameter `name`.
  func index(of name: String) -> Int? {
    path.split(separator: "/").firstIndex { $0 == "{\(name)}" }
  }

  /// Handlers of one group are one protocol: `Player`, `Queue` …
  var group: String {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[1] == "v1" else { return "Root" }
    return SwiftName.type(String(parts[2]), isList: false)
  }
}
