/// Writes the type of one schema.
struct SchemaWriter {
  let schema: APISchema
  let isRead: Bool
  let isWritten: Bool

  private func type(_ property: APISchema.Property) -> String {
    property.type.swift(enumeration: SwiftName.type(property.name, isList: property.type.isList))
  }

  private func declared(_ property: APISchema.Property) -> String {
    "\(SwiftName.lower(property.name)): \(type(property))\(property.isRequired ? "" : "?")"
  }

  var source: String {
    let protocols =
      ["Sendable", "Hashable"] + (isWritten ? ["JSONWritable"] : []) + (isRead ? ["JSONReadable"] : [])
    let isPublic = protocols.filter { $0 != "JSONReadable" }.joined(separator: ", ")
    var lines = [
      "  /// \(schema.description)", "  public struct \(schema.name): \(isPublic) {",
    ]
    for (name, words, description) in schema.enumerations {
      lines += [
        "    /// \(description)",
        "    public enum \(name): String, Sendable, Hashable, CaseIterable, JSONWritable {",
      ]
      lines += words.map { word in
        let name = SwiftName.lower(word)
        return name == word ? "      case \(name)" : "      case \(name) = \"\(word)\""
      }
      lines += ["    }", ""]
    }
    for property in schema.properties {
      lines += ["    /// \(property.description)", "    public var \(declared(property))"]
    }
    let parameters = schema.properties.map { declared($0) + ($0.isRequired ? "" : " = nil") }
    lines += ["", "    public init(\(parameters.joined(separator: ", "))) {"]
    lines += schema.properties.map { "      self.\(SwiftName.lower($0.name)) = \(SwiftName.lower($0.name))" }
    lines += ["    }"]
    if isWritten { lines += [""] + written }
    lines += ["  }"]
    return lines.joined(separator: "\n")
  }

  private var written: [String] {
    var lines = ["    public func write(to json: inout JSONWriter) {", "      json.beginObject()"]
    lines += schema.properties.map { property in
      let label = property.isRequired ? "" : "optional: "
      return "      json.member(\"\(property.name)\", \(label)\(SwiftName.lower(property.name)))"
    }
    return lines + ["      json.endObject()", "    }"]
  }

  /// How it is read from a request; not public, so it stands in an extension.
  var reading: String {
    let names = schema.properties.map { "\"\($0.name)\"" }.joined(separator: ", ")
    var lines = [
      "extension API.\(schema.name): JSONReadable {",
      "  init(_ json: JSONValue, at place: JSONPlace) throws(Problem) {",
      "    let members = try JSONObjectReader(json, at: place, names: [\(names)], least: \(schema.least))",
    ]
    lines += schema.properties.map { "    \(SwiftName.lower($0.name)) = try members.\(read($0))" }
    return (lines + ["  }", "}"]).joined(separator: "\n")
  }

  private func read(_ property: APISchema.Property) -> String {
    func call(_ name: String, _ rest: String = "") -> String {
      let name = property.isRequired ? name : "optional\(name.prefix(1).uppercased())\(name.dropFirst())"
      return "\(name)(\"\(property.name)\"\(rest))"
    }
    switch property.type {
    case .string(let length): return call("string", ", \(SwiftRange.text(length.0, length.1))")
    case .word: return call("word")
    case .integer(let least, let most): return call("integer", ", \(SwiftRange.text(least, most))")
    case .number(let least, let most): return call("number", ", \(SwiftRange.text(least, most))")
    case .boolean: return call("boolean")
    case .object: return call("object")
    case .array(.integer(let least, let most), let count):
      return call(
        "integers", ", count: \(SwiftRange.text(count.0, count.1)), \(SwiftRange.text(least, most))")
    case .array(_, let count): return call("objects", ", count: \(SwiftRange.text(count.0, count.1))")
    }
  }
}

/// Writes closed ranges.
enum SwiftRange {
  static func text(_ least: Int?, _ most: Int?) -> String {
    "\(least.map(String.init) ?? "Int.min")...\(most.map(String.init) ?? "Int.max")"
  }

  static func text(_ least: Double?, _ most: Double?) -> String {
    "\(least.map { "\($0)" } ?? "-Double.greatestFiniteMagnitude")..."
      + "\(most.map { "\($0)" } ?? "Double.greatestFiniteMagnitude")"
  }
}
