import Text

/// Reads one JSON text (RFC 8259), strictly and within bounds.
///
/// No byte order mark, no comments, no second value, no two members of one name, no text that isn't UTF-8.
struct JSONReader {
  private let bytes: UnsafeRawBufferPointer
  private let limits: JSONLimits
  private var position = 0
  private var valuesLeft: Int

  init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
    valuesLeft = limits.values
  }

  mutating func read() throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, at: limits.bytes) }
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw malformed }
    return value
  }

  private var malformed: JSONError { JSONError(.malformed, at: position) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
  }

  /// Skips `byte`; false when something else is there.
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    skipSpace()
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw JSONError(.tooLarge, at: position) }
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count,
      bytes[position..<end].elementsEqual(
        UnsafeRawBufferPointer(start: word.utf8Start, count: end - position))
    else { throw malformed }
    position = end
    return value
  }

  // MARK: Arrays and objects

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= limits.depth else { throw JSONError(.tooLarge, at: position) }
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    if skip(UInt8(ascii: "]")) { return .array(values) }
    while true {
      values.append(try value(depth: depth))
      skipSpace()
      if skip(UInt8(ascii: "]")) { return .array(values) }
      guard skip(UInt8(ascii: ",")) else { throw malformed }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= limits.depth else { throw JSONError(.tooLarge, at: position) }
    position += 1
    var members: [JSONMember] = []
    var names: Set<String> = []
    skipSpace()
    if skip(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      let start = position
      guard next == UInt8(ascii: "\"") else { throw malformed }
      let name = try string()
      guard names.insert(name).inserted else { throw JSONError(.duplicateName, at: start) }
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw malformed }
      members.append(JSONMember(name, try value(depth: depth)))
      skipSpace()
      if skip(UInt8(ascii: "}")) { return .object(members) }
      guard skip(UInt8(ascii: ",")) else { throw malformed }
    }
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> Double {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits()
    }
    // More digits than any number needs take time to convert.
    guard position - start <= 64,
      let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite
    else { throw JSONError(.tooLarge, at: start) }
    return number
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw malformed }
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    var text: [UInt8]?
    var copied = start
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        guard var text else { return try Self.text(bytes[start..<position], at: start) }
        text.append(contentsOf: bytes[copied..<position])
        return try Self.text(text, at: start)
      case UInt8(ascii: "\\"):
        var whole = text ?? []
        whole.append(contentsOf: bytes[copied..<position])
        whole.append(contentsOf: Array(String(try escaped()).utf8))
        text = whole
        copied = position
      case ..<0x20: throw malformed
      default: position += 1
      }
    }
    throw malformed
  }

  private static func text(_ bytes: some Collection<UInt8>, at offset: Int) throws(JSONError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw JSONError(.encoding, at: offset) }
    return text.streamSafe
  }

  /// Reads what a backslash begins.
  private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
    position += 1
    guard let byte = next else { throw malformed }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try scalar()
    default: throw malformed
    }
  }

  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let start = position
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xd800..<0xdc00).contains(first), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
      throw JSONError(.encoding, at: start)
    }
    let second = try codeUnit()
    guard (0xdc00..<0xe000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00))
    else { throw JSONError(.encoding, at: start) }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw malformed }
    var unit: UInt16 = 0
    for byte in bytes[position..<(position + 4)] {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: throw malformed
      }
      unit = unit << 4 | UInt16(digit)
    }
    position += 4
    return unit
  }
}
