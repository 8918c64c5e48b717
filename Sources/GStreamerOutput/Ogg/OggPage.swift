/// One page of an Ogg stream (RFC 3533), in a block of bytes.
struct OggPage: Hashable {
  static let headBytes = 27
  /// The longest possible page.
  static let mostBytes = headBytes + 255 + 255 * 255

  /// Serial number of its stream.
  var serial: UInt32
  /// Granule position (count of samples) after the last packet that ends here; nil if none does.
  var granule: Int64?
  /// A stream begins.
  var isFirst: Bool
  /// A stream ends.
  var isLast: Bool
  /// Lengths of its packets' segments; one of less than 255 bytes ends a packet.
  var pieces: [UInt8]
  /// Where the page is in the block.
  var range: Range<Int>

  /// Reads a page header; nil if it is incomplete. The body may still be missing, and nothing is verified.
  init?(head bytes: [UInt8], at start: Int) {
    guard bytes.count >= start + Self.headBytes else { return nil }
    let count = Int(bytes[start + 26])
    guard bytes.count >= start + Self.headBytes + count else { return nil }
    let flags = bytes[start + 5]
    isFirst = flags & 2 != 0
    isLast = flags & 4 != 0
    let position = Int64(truncatingIfNeeded: Self.read(bytes, start + 6, 8))
    granule = position < 0 ? nil : position
    serial = UInt32(truncatingIfNeeded: Self.read(bytes, start + 14, 4))
    let table = start + Self.headBytes
    pieces = Array(bytes[table..<table + count])
    range = start..<table + count + pieces.reduce(0) { $0 + Int($1) }
  }

  var bodyStart: Int { range.lowerBound + Self.headBytes + pieces.count }

  /// A page with nothing but the packet that begins on this one and ends on a later one; nil if there is none.
  func unfinishedPacket(of bytes: [UInt8]) -> [UInt8]? {
    let rest = pieces.reversed().prefix { $0 == 255 }.count
    guard rest > 0, rest < pieces.count else { return nil }
    var page = Array(bytes[range.lowerBound..<range.lowerBound + Self.headBytes])
    page[5] = 0
    for index in 6..<14 { page[index] = 0xff }
    page[26] = UInt8(rest)
    page += [UInt8](repeating: 255, count: rest)
    page += bytes[range.upperBound - rest * 255..<range.upperBound]
    let sum = Self.checksum(page[...])
    for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    return page
  }

  static func isCapturePattern(_ bytes: [UInt8], _ at: Int) -> Bool {
    bytes[at] == 0x4f && bytes[at + 1] == 0x67 && bytes[at + 2] == 0x67 && bytes[at + 3] == 0x53
  }

  /// A little-endian number of up to 8 bytes.
  static func read(_ bytes: [UInt8], _ at: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }

  /// Whether its checksum is right.
  static func isWhole(_ page: ArraySlice<UInt8>) -> Bool {
    let start = page.startIndex
    let said = (0..<4).reduce(UInt32(0)) { $0 | UInt32(page[start + 22 + $1]) << UInt32(8 * $1) }
    return checksum(page) == said
  }

  /// Ogg's CRC-32, with the checksum itself taken as zero.
  static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = 0
    for (offset, byte) in page.enumerated() {
      let value = (22..<26).contains(offset) ? 0 : byte
      sum = sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ value)]
    }
    return sum
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1
    }
  }
}
