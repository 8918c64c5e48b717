/// Writes one JSON text (RFC 8259), piece by piece and without spaces.
public struct JSONWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []
  /// False where a comma has to come before what follows.
  private var isFirst = true

  public init() {}

  // MARK: Objects and arrays

  public mutating func beginObject() { begin(UInt8(ascii: "{")) }
  public mutating func endObject() { end(UInt8(ascii: "}")) }

  /// Writes a member; `name` needs no escapes.
  public mutating func member(_ name: StaticString, _ value: some JSONWritable) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    value.write(to: &self)
  }

  /// Writes a member unless `value` is nil.
  public mutating func member<Value: JSONWritable>(_ name: StaticString, optional value: Value?) {
    if let value { member(name, value) }
  }

  /// Writes a member with a name that may need escapes.
  public mutating func member(named name: String, _ value: some JSONWritable) {
    separate()
    string(name)
    bytes.append(UInt8(ascii: ":"))
    value.write(to: &self)
  }

  /// Writes an array.
  public mutating func array<Values: Sequence>(_ values: Values) where Values.Element: JSONWritable {
    begin(UInt8(ascii: "["))
    for value in values {
      separate()
      value.write(to: &self)
    }
    end(UInt8(ascii: "]"))
  }

  private mutating func begin(_ byte: UInt8) {
    bytes.append(byte)
    isFirst = true
  }

  private mutating func end(_ byte: UInt8) {
    bytes.append(byte)
    isFirst = false
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  // MARK: Values

  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0a: raw("\\n")
      case ..<0x20, 0x7f:
        raw(byte < 0x10 ? "\\u000" : "\\u00")
        raw(String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
