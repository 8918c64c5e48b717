import JSON

/// An object of the API.
struct APISchema {
  struct Property {
    var name: String
    var type: APIType
    var description: String
    var isRequired: Bool
  }

  var name: String
  var description: String
  var properties: [Property]
  /// How many members it has at least.
  var least: Int

  init(_ name: String, _ json: JSONValue) throws {
    guard json["type"]?.text == "object", json["additionalProperties"] == .boolean(false) else {
      throw DescriptionError("\(name): only objects without additional properties are known here")
    }
    self.name = name
    description = json["description"]?.text ?? name
    least = json["minProperties"]?.integer ?? 0
    let required = Set(json["required"]?.elements.compactMap(\.text) ?? [])
    properties = try json.need("properties").members.map { member in
      Property(
        name: member.name, type: try APIType(member.value, in: "\(name).\(member.name)"),
        description: member.value["description"]?.text ?? "", isRequired: required.contains(member.name))
    }
  }

  /// The enumerations of its members, by the names of their types.
  var enumerations: [(name: String, words: [String], description: String)] {
    properties.compactMap { property in
      property.type.words.map {
        (SwiftName.type(property.name, isList: property.type.isList), $0, property.description)
      }
    }
  }
}

/// The type of a value of the API.
indirect enum APIType {
  case string(length: (Int, Int?))
  case word([String])
  case integer(Int?, Int?)
  case number(Double?, Double?)
  case boolean
  case object(String)
  case array(APIType, count: (Int, Int?))

  init(_ json: JSONValue, in place: String) throws {
    if let reference = json["$ref"]?.text {
      self = .object(String(reference.split(separator: "/").last ?? ""))
      return
    }
    switch json["type"]?.text {
    case "string":
      if let words = json["enum"]?.elements.compactMap(\.text) {
        self = .word(words)
      } else {
        self = .string(length: (json["minLength"]?.integer ?? 0, json["maxLength"]?.integer))
      }
    case "integer": self = .integer(json["minimum"]?.integer, json["maximum"]?.integer)
    case "number": self = .number(json["minimum"]?.number, json["maximum"]?.number)
    case "boolean": self = .boolean
    case "array":
      self = .array(
        try APIType(try json.need("items"), in: place),
        count: (json["minItems"]?.integer ?? 0, json["maxItems"]?.integer))
    default: throw DescriptionError("\(place): a type that isn't known here")
    }
  }

  var isList: Bool { if case .array = self { true } else { false } }

  var reference: String? {
    switch self {
    case .object(let name): name
    case .array(let element, _): element.reference
    default: nil
    }
  }

  var words: [String]? {
    switch self {
    case .word(let words): words
    case .array(let element, _): element.words
    default: nil
    }
  }

  /// The type in Swift.
  ///
  /// - Parameter enumeration: the name of its own enumeration, if it is one.
  func swift(enumeration: String) -> String {
    switch self {
    case .string: "String"
    case .word: enumeration
    case .integer: "Int"
    case .number: "Double"
    case .boolean: "Bool"
    case .object(let name): name
    case .array(let element, _): "[\(element.swift(enumeration: enumeration))]"
    }
  }
}
