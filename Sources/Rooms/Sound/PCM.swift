/// Samples as numbers.
enum PCM {
  /// Big-endian signed integers of 16 or 24 bits as -1...1. Both fit without loss.
  static func floats(_ bytes: ArraySlice<UInt8>, bits: Int) -> [Float] {
    bytes.withUnsafeBufferPointer { bytes in
      if bits == 16 {
        return (0..<bytes.count / 2).map { index in
          let value = Int16(truncatingIfNeeded: Int(bytes[2 * index]) << 8 | Int(bytes[2 * index + 1]))
          return Float(value) / 32768
        }
      }
      return (0..<bytes.count / 3).map { index in
        let high = Int32(bytes[3 * index]) << 24 | Int32(bytes[3 * index + 1]) << 16
        let value = (high | Int32(bytes[3 * index + 2]) << 8) >> 8
        return Float(value) / 8_388_608
      }
    }
  }
}
