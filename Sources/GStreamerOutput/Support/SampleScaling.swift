import CGStreamer

/// Multiplies interleaved samples; what would be louder than full scale is held there.
enum SampleScaling {
  /// Names of the formats that ``scale(_:format:by:)`` can change, as GStreamer's caps list them.
  static let formats = "{S16LE,S24LE,S32LE,F32LE,F64LE}"

  /// Scales all channels by `factor`.
  static func scale(_ bytes: UnsafeMutableRawBufferPointer, format: GstAudioFormat, by factor: Double) {
    // Whole buffers are one channel that all samples belong to.
    scale(bytes, format, Steps(channels: 1, left: factor, right: nil))
  }

  /// Scales the first channel by `left` and the second by `right`; the others stay.
  static func scale(
    _ bytes: UnsafeMutableRawBufferPointer, format: GstAudioFormat, channels: Int, left: Double,
    right: Double
  ) {
    scale(bytes, format, Steps(channels: channels, left: left, right: channels > 1 ? right : nil))
  }

  /// Which samples are multiplied, and with what.
  private struct Steps {
    var channels: Int
    var left: Double
    var right: Double?
  }

  private static func scale(
    _ bytes: UnsafeMutableRawBufferPointer, _ format: GstAudioFormat, _ steps: Steps
  ) {
    switch format {
    case GST_AUDIO_FORMAT_S16LE:
      scale(bytes.bindMemory(to: Int16.self), steps) { whole(Double($0) * $1, as: Int16.self) }
    case GST_AUDIO_FORMAT_S32LE:
      scale(bytes.bindMemory(to: Int32.self), steps) { whole(Double($0) * $1, as: Int32.self) }
    case GST_AUDIO_FORMAT_F32LE:
      scale(bytes.bindMemory(to: Float.self), steps) { Float(Double($0) * $1) }
    case GST_AUDIO_FORMAT_F64LE:
      scale(bytes.bindMemory(to: Double.self), steps) { $0 * $1 }
    case GST_AUDIO_FORMAT_S24LE:
      scale(bytes.bindMemory(to: Packed24.self), steps) {
        Packed24(min(max(whole(Double($0.value) * $1, as: Int32.self), -0x80_0000), 0x7f_ffff))
      }
    default: break
    }
  }

  private static func whole<Sample: FixedWidthInteger>(_ value: Double, as type: Sample.Type) -> Sample {
    Sample(clamping: Int(value.rounded()))
  }

  /// 24 bits in three bytes, little end first.
  private struct Packed24 {
    var low: UInt8
    var middle: UInt8
    var high: UInt8

    var value: Int32 {
      let packed = UInt32(low) | UInt32(middle) << 8 | UInt32(high) << 16
      return Int32(bitPattern: packed << 8) >> 8
    }

    init(_ value: Int32) {
      let bits = UInt32(bitPattern: value)
      low = UInt8(truncatingIfNeeded: bits)
      middle = UInt8(truncatingIfNeeded: bits >> 8)
      high = UInt8(truncatingIfNeeded: bits >> 16)
    }
  }

  private static func scale<Sample>(
    _ samples: UnsafeMutableBufferPointer<Sample>, _ steps: Steps, _ multiply: (Sample, Double) -> Sample
  ) {
    for (offset, factor) in [steps.left, steps.right].enumerated() {
      guard let factor, factor != 1 else { continue }
      var index = offset
      while index < samples.count {
        samples[index] = multiply(samples[index], factor)
        index += steps.channels
      }
    }
  }
}
