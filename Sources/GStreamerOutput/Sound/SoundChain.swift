/// Processes samples between the tracks and the device, all in one pass: channels, gain and its ramps, dither.
///
/// Pure: the result doesn't depend on how the samples are cut into blocks. Dither stays on where the source is silent:
/// constant noise at the last bit isn't heard, but noise that comes and goes with the music may be. Gain 0 has none.
struct SoundStage: Sendable {
  /// The encodings of input and output, and the channels of both.
  struct Form: Sendable, Equatable {
    var input: SampleEncoding
    var output: SampleEncoding
    var layout: ChannelLayout
  }

  let mapping: ChannelMapping
  var ramp = GainRamp()
  /// Number of the next sample, for its dither.
  private var index: UInt32 = 0

  init(mapping: ChannelMapping = .stereo) { self.mapping = mapping }

  /// Whether samples leave unchanged, now and until ``ramp`` is moved.
  ///
  /// - Parameter factor: their factor besides the ramp.
  func isTransparent(_ form: Form, factor: Double) -> Bool {
    form.input == form.output && factor == 1 && !ramp.isUnderWay && ramp.target == GainRamp.Gain(1, 1)
      && (mapping == .stereo || form.layout.pairs.isEmpty)
  }

  /// Bytes that ``process(_:_:into:factor:)`` makes of `bytes` bytes.
  static func size(of bytes: Int, _ form: Form) -> Int { bytes / form.input.bytes * form.output.bytes }

  /// Processes whole frames; `output` must have room for as many.
  mutating func process(
    _ input: UnsafeRawBufferPointer, _ form: Form, into output: UnsafeMutableRawBufferPointer,
    factor: Double = 1
  ) {
    let channels = form.layout.channels
    let frameBytes = form.input.bytes * channels
    guard channels > 0 else { return }
    let frames = min(input.count / frameBytes, output.count / (form.output.bytes * channels))
    let most = max(1, 1024 / channels)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: most * channels) { scratch in
      scratch.initialize(repeating: 0)
      var done = 0
      while done < frames {
        var count = min(most, frames - done)
        if ramp.isUnderWay { count = min(count, ramp.remaining) }
        let values = UnsafeMutableBufferPointer(rebasing: scratch[0..<count * channels])
        SampleReading.read(
          UnsafeRawBufferPointer(rebasing: input[(done * frameBytes)...]), as: form.input, into: values)
        map(values, form.layout)
        let dither = scale(values, form, factor)
        SampleWriting.write(
          values, as: form.output,
          into: UnsafeMutableRawBufferPointer(rebasing: output[(done * form.output.bytes * channels)...]),
          dither: dither, from: index)
        index &+= UInt32(truncatingIfNeeded: count * channels)
        done += count
      }
    }
  }

  private func map(_ values: UnsafeMutableBufferPointer<Double>, _ layout: ChannelLayout) {
    guard mapping != .stereo else { return }
    for pair in layout.pairs {
      for frame in stride(from: 0, to: values.count, by: layout.channels) {
        let (left, right) = (values[frame + pair.left], values[frame + pair.right])
        let mapped =
          switch mapping {
          case .stereo: (left, right)
          case .mono: ((left + right) / 2, (left + right) / 2)
          case .left: (left, left)
          case .right: (right, right)
          case .swapped: (right, left)
          }
        (values[frame + pair.left], values[frame + pair.right]) = mapped
      }
    }
  }

  /// Applies the gain. Returns how much dither each channel needs: none where no bits are lost.
  private mutating func scale(
    _ values: UnsafeMutableBufferPointer<Double>, _ form: Form, _ factor: Double
  ) -> [Double] {
    let sides = form.layout.sides
    if ramp.isUnderWay {
      var at = 0
      while at < values.count {
        let gain = ramp.next() * factor
        for side in sides {
          values[at] *= Self.gain(gain, side)
          at += 1
        }
      }
      return Array(repeating: form.output.bits == nil ? 0 : 1, count: sides.count)
    }
    let gain = ramp.target * factor
    let factors = sides.map { Self.gain(gain, $0) }
    if factors.count == 2, factors[0] != 0, factors[1] != 0 {
      let (left, right) = (factors[0], factors[1])
      for at in stride(from: 0, to: values.count - 1, by: 2) {
        values[at] *= left
        values[at + 1] *= right
      }
    } else {
      for (channel, factor) in factors.enumerated() where factor != 1 {
        for at in stride(from: channel, to: values.count, by: factors.count) {
          // NaN would stay NaN.
          values[at] = factor == 0 ? 0 : values[at] * factor
        }
      }
    }
    return zip(factors, sides).map { factor, side in
      guard let bits = form.output.bits, factor != 0 else { return 0 }
      let isMixed = mapping == .mono && side != .both
      return factor == 1 && !isMixed && bits >= form.input.bits ?? .max ? 0 : 1
    }
  }

  private static func gain(_ gain: GainRamp.Gain, _ side: ChannelLayout.SpeakerSide) -> Double {
    switch side {
    case .left: gain.x
    case .right: gain.y
    case .both: max(gain.x, gain.y)
    }
  }
}
