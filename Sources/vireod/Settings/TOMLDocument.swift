import CToml

/// A position in a configuration file, counted from 1; line 0 when it is unknown.
struct TextPosition: Sendable, Hashable, Comparable {
  var line: Int
  var column: Int

  static func < (left: TextPosition, right: TextPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A TOML value with its position.
struct TOMLNode: Sendable, Equatable {
  var position: TextPosition
  var value: TOMLValue
}

enum TOMLValue: Sendable, Equatable {
  case table([TOMLEntry])
  case array([TOMLNode])
  case string(String)
  case integer(Int64)
  case float(Double)
  case boolean(Bool)
  /// A date or a time, which no key accepts.
  case date

  /// The type of the value, for messages.
  var kindName: String {
    switch self {
    case .table: "a table"
    case .array: "a list"
    case .string: "a text"
    case .integer: "a whole number"
    case .float: "a number with a fraction"
    case .boolean: "true or false"
    case .date: "a date or time"
    }
  }
}

/// A key of a table with its value.
struct TOMLEntry: Sendable, Equatable {
  var key: String
  var position: TextPosition
  var node: TOMLNode
}

/// A syntax error in TOML.
struct TOMLError: Error, Sendable, Equatable {
  var position: TextPosition
  var message: String
}

/// Parses TOML with toml++ (through `CToml`), which knows the line and column of every key and value.
enum TOMLDocument {
  /// Parses `bytes` and returns the root table's entries in the order of the file.
  ///
  /// - Throws: ``TOMLError`` for the first syntax error.
  static func parse(_ bytes: [UInt8]) throws(TOMLError) -> [TOMLEntry] {
    // Append a byte, so that an empty document has an address too.
    let document = (bytes + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { ctoml_parse($0.baseAddress, bytes.count) }
    }
    guard let document else {
      throw TOMLError(position: TextPosition(line: 0, column: 0), message: "not enough memory to read it")
    }
    defer { ctoml_free(document) }
    var place = ctoml_position()
    if let message = ctoml_error(document, &place) {
      throw TOMLError(position: TextPosition(place), message: String(cString: message))
    }
    var count = 0
    let nodes = UnsafeBufferPointer(start: ctoml_nodes(document, &count), count: count)
    guard case .table(let entries) = tree(nodes) else { return [] }
    return entries
  }

  /// Nodes come in pre-order. Going backwards, the children of a node are complete before the node itself.
  private static func tree(_ nodes: UnsafeBufferPointer<ctoml_node>) -> TOMLValue {
    var children = [[TOMLEntry]](repeating: [], count: nodes.count)
    for index in nodes.indices.reversed() {
      let node = nodes[index]
      let value = value(node, children: children[index].reversed())
      guard nodes.indices.contains(Int(node.parent)) else { return value }
      let entry = TOMLEntry(
        key: text(node.key, node.key_length), position: TextPosition(node.key_position),
        node: TOMLNode(position: TextPosition(node.value_position), value: value))
      children[index] = []
      children[Int(node.parent)].append(entry)
    }
    return .table([])
  }

  private static func value(_ node: ctoml_node, children: [TOMLEntry]) -> TOMLValue {
    switch ctoml_kind(rawValue: UInt32(node.kind)) {
    case ctoml_kind_table: .table(children.sorted { $0.position < $1.position })
    case ctoml_kind_array: .array(children.map(\.node))
    case ctoml_kind_string: .string(text(node.text, node.text_length))
    case ctoml_kind_integer: .integer(node.integer)
    case ctoml_kind_float: .float(node.number)
    case ctoml_kind_boolean: .boolean(node.boolean)
    default: .date
    }
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
    guard let start else { return "" }
    return start.withMemoryRebound(to: UInt8.self, capacity: length) {
      String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
    }
  }
}

extension TextPosition {
  init(_ position: ctoml_position) {
    self.init(line: Int(position.line), column: Int(position.column))
  }
}
