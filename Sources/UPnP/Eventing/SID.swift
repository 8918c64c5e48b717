/// A subscription identifier: 128 bits that can't be guessed.
struct SID: Sendable, Hashable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a new identifier; the system's generator is cryptographically secure.
  static func random() -> SID {
    var generator = SystemRandomNumberGenerator()
    // Version 4, variant 1 (RFC 9562): 122 bits are random.
    let high = generator.next() & 0xffff_ffff_ffff_0fff | 0x4000
    let low = generator.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    return SID(high: high, low: low)
  }

  /// Parses `uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`; nil for anything else.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 41, text.prefix(5).lowercased() == "uuid:" else { return nil }
    var halves: [UInt64] = [0, 0]
    var digits = 0
    for (offset, byte) in bytes.dropFirst(5).enumerated() {
      if [8, 13, 18, 23].contains(offset) {
        guard byte == 0x2d else { return nil }
        continue
      }
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      halves[digits / 16] = halves[digits / 16] << 4 | UInt64(digit)
      digits += 1
    }
    self.init(high: halves[0], low: halves[1])
  }

  var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: 41) { buffer in
      var index = 0
      func put(_ byte: UInt8) {
        buffer[index] = byte
        index += 1
      }
      for byte in "uuid:".utf8 { put(byte) }
      for digit in 0..<32 {
        if [8, 12, 16, 20].contains(digit) { put(0x2d) }
        let half = digit < 16 ? high : low
        put(digits[Int(half >> UInt64(60 - digit % 16 * 4) & 0xf)])
      }
      return index
    }
  }
}
