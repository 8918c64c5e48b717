/// What can be written as a JSON value.
public protocol JSONWritable {
  func write(to json: inout JSONWriter)
}

extension JSONWritable {
  /// The value as a JSON text.
  public var json: [UInt8] {
    var json = JSONWriter()
    write(to: &json)
    return json.bytes
  }
}

extension String: JSONWritable {
  public func write(to json: inout JSONWriter) { json.string(self) }
}

extension Bool: JSONWritable {
  public func write(to json: inout JSONWriter) { json.raw(self ? "true" : "false") }
}

extension Int: JSONWritable {
  public func write(to json: inout JSONWriter) { json.raw(String(self)) }
}

extension Double: JSONWritable {
  /// Infinity and what is no number have no JSON; they become null.
  public func write(to json: inout JSONWriter) {
    guard isFinite else { return json.raw("null") }
    json.raw(Int(exactly: self).map(String.init) ?? description)
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  public func write(to json: inout JSONWriter) { json.array(self) }
}

extension JSONWritable where Self: RawRepresentable, RawValue == String {
  public func write(to json: inout JSONWriter) { json.string(rawValue) }
}

extension JSONValue: JSONWritable {
  public func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.raw("null")
    case .boolean(let value): value.write(to: &json)
    case .number(let value): value.write(to: &json)
    case .string(let value): value.write(to: &json)
    case .array(let values): json.array(values)
    case .object(let members):
      json.beginObject()
      for member in members { json.member(named: member.name, member.value) }
      json.endObject()
    }
  }
}
