/// The header of a frame of FLAC: where in the recording it begins.
///
/// Sound may contain bytes that look like a header. A whole frame ends with a checksum, which tells.
struct FlacFrame: Hashable {
  /// The longest header, in bytes.
  static let mostHeaderBytes = 16

  /// The first sample's number in the recording.
  var sample: Int64
  /// How many samples it has.
  var count: Int

  /// The sample after it.
  var end: Int64 { sample + Int64(count) }

  /// Reads the header at `at`; nil if there is none, or not all of it.
  ///
  /// - Parameter blockSize: samples of each frame but the last, in a file whose frames count themselves.
  init?(_ bytes: [UInt8], at: Int, blockSize: Int) {
    guard at + 6 <= bytes.count, bytes[at] == 0xff, bytes[at + 1] & 0xfe == 0xf8 else { return nil }
    let (sizeCode, rateCode) = (bytes[at + 2] >> 4, bytes[at + 2] & 15)
    guard sizeCode != 0, rateCode != 15, bytes[at + 3] >> 4 < 11, bytes[at + 3] & 1 == 0 else { return nil }
    var place = at + 4
    guard let number = Self.number(bytes, &place) else { return nil }
    guard let count = Self.count(sizeCode, bytes, &place) else { return nil }
    switch rateCode {
    case 12: place += 1
    case 13, 14: place += 2
    default: break
    }
    guard place < bytes.count, Self.checksum(bytes[at..<place]) == bytes[place] else { return nil }
    self.count = count
    if bytes[at + 1] & 1 == 1 {
      sample = number
    } else {
      guard blockSize > 0 else { return nil }
      sample = number * Int64(blockSize)
    }
  }

  /// The number of the frame or of its first sample, of up to 36 bits, in the manner of UTF-8.
  private static func number(_ bytes: [UInt8], _ place: inout Int) -> Int64? {
    let first = bytes[place]
    let length = (~first).leadingZeroBitCount
    place += 1
    guard length > 0 else { return Int64(first) }
    guard (2...7).contains(length), place + length - 1 < bytes.count else { return nil }
    var value = Int64(first) & ((1 << Int64(7 - length)) - 1)
    for _ in 1..<length {
      guard bytes[place] & 0xc0 == 0x80 else { return nil }
      value = value << 6 | Int64(bytes[place] & 0x3f)
      place += 1
    }
    return value
  }

  private static func count(_ code: UInt8, _ bytes: [UInt8], _ place: inout Int) -> Int? {
    switch code {
    case 1: return 192
    case 2...5: return 576 << Int(code - 2)
    case 6:
      guard place < bytes.count else { return nil }
      defer { place += 1 }
      return Int(bytes[place]) + 1
    case 7:
      guard place + 1 < bytes.count else { return nil }
      defer { place += 2 }
      return (Int(bytes[place]) << 8 | Int(bytes[place + 1])) + 1
    default: return 256 << Int(code - 8)
    }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
  }

  /// The checksum of a frame, or of the frame before and one more byte. It is 0 after the last byte of a frame.
  static func checksum(_ before: UInt16, _ byte: UInt8) -> UInt16 {
    before << 8 ^ table[Int(before >> 8) ^ Int(byte)]
  }

  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
  }
}
