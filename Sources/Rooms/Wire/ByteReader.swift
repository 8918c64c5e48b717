/// Reads big-endian numbers and runs of bytes, and never beyond the end.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  var left: Int { bytes.endIndex - place }

  /// The next `count` bytes; nil if there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= left else { return nil }
    defer { place += count }
    return bytes[place..<place + count]
  }

  mutating func uint8() -> UInt8? { take(1)?.first }
  mutating func uint16() -> UInt16? { number(2).map { UInt16(truncatingIfNeeded: $0) } }
  mutating func uint32() -> UInt32? { number(4).map { UInt32(truncatingIfNeeded: $0) } }
  mutating func uint64() -> UInt64? { number(8) }

  private mutating func number(_ count: Int) -> UInt64? {
    take(count).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
  }
}

extension [UInt8] {
  /// Appends `number`, big-endian.
  mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
