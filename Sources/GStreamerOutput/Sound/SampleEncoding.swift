/// How one sample is stored; samples of more than one byte are little-endian.
enum SampleEncoding: String, CaseIterable, Sendable {
  case u8 = "U8"
  case s8 = "S8"
  case s16 = "S16LE"
  case s24 = "S24LE"
  /// 24 bits in the lower three of four bytes.
  case s24in32 = "S24_32LE"
  case s32 = "S32LE"
  case f32 = "F32LE"
  case f64 = "F64LE"

  /// All of them, as GStreamer's caps list alternatives.
  static let names = "{" + allCases.map(\.rawValue).joined(separator: ",") + "}"

  /// Bytes of one sample.
  var bytes: Int {
    switch self {
    case .u8, .s8: 1
    case .s16: 2
    case .s24: 3
    case .s24in32, .s32, .f32: 4
    case .f64: 8
    }
  }

  /// Significant bits of an integer; nil for floating point.
  var bits: Int? {
    switch self {
    case .u8, .s8: 8
    case .s16: 16
    case .s24, .s24in32: 24
    case .s32: 32
    case .f32, .f64: nil
    }
  }
}

/// Reads samples as numbers between -1 and 1; a `Double` holds any encoding exactly.
enum SampleReading {
  /// Fills `values` with the samples at the beginning of `bytes`, which must hold that many.
  static func read(
    _ bytes: UnsafeRawBufferPointer, as encoding: SampleEncoding,
    into values: UnsafeMutableBufferPointer<Double>
  ) {
    switch encoding {
    case .u8: fill(values, 7) { Double(Int(bytes[$0]) - 128) }
    case .s8: fill(values, 7) { Double(Int8(bitPattern: bytes[$0])) }
    case .s16: fill(values, 15) { Double(bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)) }
    case .s24:
      fill(values, 31) {
        let high = bytes.loadUnaligned(fromByteOffset: 3 * $0 + 1, as: UInt16.self)
        return Double(Int32(bitPattern: UInt32(high) << 16 | UInt32(bytes[3 * $0]) << 8))
      }
    case .s24in32:
      fill(values, 31) { Double(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self) << 8) }
    case .s32: fill(values, 31) { Double(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self)) }
    case .f32: fill(values, 0) { Double(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)) }
    case .f64: fill(values, 0) { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: Double.self) }
    }
  }

  @inline(__always)
  private static func fill(
    _ values: UnsafeMutableBufferPointer<Double>, _ bits: Int, _ sample: (Int) -> Double
  ) {
    let scale = 1 / Double(1 << bits)
    for index in 0..<values.count { values[index] = sample(index) * scale }
  }
}

/// Writes numbers between -1 and 1 as samples. Integers clip louder values at full scale and turn NaN into silence;
/// floating point takes everything as it is.
enum SampleWriting {
  /// Writes `values` to the beginning of `bytes`, which must have room for them.
  ///
  /// - Parameters:
  ///   - dither: how much dither each channel gets, 0 or 1; one element per channel.
  ///   - index: number of the first sample; the same number always gets the same dither.
  static func write(
    _ values: UnsafeMutableBufferPointer<Double>, as encoding: SampleEncoding,
    into bytes: UnsafeMutableRawBufferPointer, dither: UnsafeBufferPointer<Double>, from index: UInt32
  ) {
    switch encoding {
    case .u8: put(values, 8, dither, index) { bytes[$0] = UInt8(truncatingIfNeeded: $1 &+ 128) }
    case .s8: put(values, 8, dither, index) { bytes[$0] = UInt8(truncatingIfNeeded: $1) }
    case .s16:
      put(values, 16, dither, index) {
        bytes.storeBytes(of: Int16(truncatingIfNeeded: $1), toByteOffset: 2 * $0, as: Int16.self)
      }
    case .s24:
      put(values, 24, dither, index) {
        bytes.storeBytes(of: UInt16(truncatingIfNeeded: $1), toByteOffset: 3 * $0, as: UInt16.self)
        bytes[3 * $0 + 2] = UInt8(truncatingIfNeeded: $1 >> 16)
      }
    case .s24in32:
      put(values, 24, dither, index) { bytes.storeBytes(of: $1, toByteOffset: 4 * $0, as: Int32.self) }
    case .s32:
      put(values, 32, dither, index) { bytes.storeBytes(of: $1, toByteOffset: 4 * $0, as: Int32.self) }
    case .f32:
      for index in 0..<values.count {
        bytes.storeBytes(of: Float(values[index]), toByteOffset: 4 * index, as: Float.self)
      }
    case .f64:
      for index in 0..<values.count {
        bytes.storeBytes(of: values[index], toByteOffset: 8 * index, as: Double.self)
      }
    }
  }

  /// Rounds to integers of `bits` bits without any branch, so that several samples are processed at a time.
  @inline(__always)
  private static func put(
    _ values: UnsafeMutableBufferPointer<Double>, _ bits: Int, _ dither: UnsafeBufferPointer<Double>,
    _ index: UInt32,
    _ store: (Int, Int32) -> Void
  ) {
    let scale = Double(1 << (bits - 1))
    let (least, most) = (-scale, scale - 1)
    // Adding this leaves the rounded integer in the lower bits of the sum.
    let rounding = 6_755_399_441_055_744.0
    @inline(__always) func whole(_ value: Double) -> Int32 {
      let held = value >= least ? (value <= most ? value : most) : (value < least ? least : 0)
      return Int32(truncatingIfNeeded: (held + rounding).bitPattern)
    }
    if dither.allSatisfy({ $0 == 0 }) {
      for at in 0..<values.count { store(at, whole(values[at] * scale)) }
    } else if dither.allSatisfy({ $0 == 1 }) {
      for at in 0..<values.count {
        store(at, whole(values[at] * scale + Dither.value(index &+ UInt32(truncatingIfNeeded: at))))
      }
    } else {
      var channel = 0
      for at in 0..<values.count {
        let noise = dither[channel] * Dither.value(index &+ UInt32(truncatingIfNeeded: at))
        store(at, whole(values[at] * scale + noise))
        channel = channel + 1 == dither.count ? 0 : channel + 1
      }
    }
  }
}

/// The noise that makes rounding errors independent of the sound: two steps wide, of triangular density.
///
/// It is a function of the sample's number, so that no sample has to wait for the one before it.
enum Dither {
  /// Between -1 and 1, in steps of the result.
  @inline(__always)
  static func value(_ index: UInt32) -> Double {
    var bits = index ^ index >> 16
    bits = bits &* 0x7feb_352d
    bits ^= bits >> 15
    bits = bits &* 0x846c_a68b
    bits ^= bits >> 16
    return Double(Int32(bits & 0xffff) + Int32(bits >> 16) - 0xffff) * (1 / 65536)
  }
}
