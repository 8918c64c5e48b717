import NIOCore

extension ByteBuffer {
  /// Writes a number as decimal digits.
  package mutating func writeInteger(text number: Int) {
    guard number >= 10 else {
      if number >= 0 { writeInteger(UInt8(0x30 + number)) } else { writeString(String(number)) }
      return
    }
    writeInteger(text: number / 10)
    writeInteger(UInt8(0x30 + number % 10))
  }
}
