/// Makes two channels of any number. Pure.
struct StereoMix {
  private let channels: Int
  /// Weights of the channels for left and right; empty for one or two channels, which stay as they are.
  private var weights: [[Double]] = []

  init(_ layout: ChannelLayout) {
    channels = layout.channels
    guard channels > 2 else { return }
    // What both sides have is heard from both, each with half of its power.
    let shared = 0.5.squareRoot()
    for side in [ChannelLayout.SpeakerSide.left, .right] {
      let own = layout.sides.map { $0 == side ? 1 : $0 == .both ? shared : 0 }
      let sum = max(1, own.reduce(0, +))
      weights.append(own.map { $0 / sum })
    }
  }

  func value(_ values: UnsafeMutableBufferPointer<Double>, frame: Int, channel: Int) -> Double {
    let first = frame * channels
    guard channels > 2 else { return values[first + channel] }
    var sum = 0.0
    for index in 0..<channels { sum += values[first + index] * weights[channel][index] }
    return sum
  }
}

/// Samples as Songcast has them.
enum BigEndian {
  /// Whether samples of this encoding are sent as they are, in `bits` each.
  static func canCopy(_ encoding: SampleEncoding, channels: Int, bits: Int) -> Bool {
    channels <= 2 && copiedBytes(encoding) * 8 == bits
  }

  /// The bytes that ``copy(_:as:to:)`` makes of a sample; 0: it doesn't copy this encoding.
  static func copiedBytes(_ encoding: SampleEncoding) -> Int {
    switch encoding {
    case .s16: 2
    case .s24, .s24in32: 3
    case .u8, .s8, .s32, .f32, .f64: 0
    }
  }

  /// Appends the samples in `bytes`, each with its bytes the other way round.
  static func copy(_ bytes: UnsafeRawBufferPointer, as encoding: SampleEncoding, to sound: inout [UInt8]) {
    let (width, kept) = (encoding.bytes, copiedBytes(encoding))
    let samples = bytes.count / width
    let made = [UInt8](unsafeUninitializedCapacity: samples * kept) { result, count in
      for sample in 0..<samples {
        for byte in 0..<kept { result[sample * kept + byte] = bytes[sample * width + kept - 1 - byte] }
      }
      count = samples * kept
    }
    sound.append(contentsOf: made)
  }

  /// All of `values`, as ``append(_:bits:to:)`` has them.
  ///
  /// - Parameters:
  ///   - index: number of the first value, for its dither.
  ///   - isComputed: whether a value has more digits than its source, and needs dither.
  static func encoded(_ values: [Double], bits: Int, from index: UInt32, isComputed: (Int) -> Bool) -> [UInt8]
  {
    var sound: [UInt8] = []
    sound.reserveCapacity(values.count * bits / 8)
    for (number, value) in values.enumerated() {
      let noise = isComputed(number) ? Dither.value(index &+ UInt32(truncatingIfNeeded: number)) : 0
      append(value + noise / Double(1 << (bits - 1)), bits: bits, to: &sound)
    }
    return sound
  }

  /// Appends `value` (-1...1), rounded and limited to `bits`, 16 or 24.
  @inline(__always)
  static func append(_ value: Double, bits: Int, to bytes: inout [UInt8]) {
    let scale = Double(1 << (bits - 1))
    let limited = value.isNaN ? 0 : min(max((value * scale).rounded(), -scale), scale - 1)
    let number = Int32(limited)
    if bits == 24 { bytes.append(UInt8(truncatingIfNeeded: number >> 16)) }
    bytes.append(UInt8(truncatingIfNeeded: number >> 8))
    bytes.append(UInt8(truncatingIfNeeded: number))
  }
}
