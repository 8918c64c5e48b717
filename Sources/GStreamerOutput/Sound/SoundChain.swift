/// What lies between the sources of sound and the device: stages that process samples, all in one pass.
///
/// Pure: the result doesn't depend on how the samples are cut into blocks. Dither stays on where the source is silent:
/// constant noise at the last bit isn't heard, but noise that comes and goes with the music may be. Only gain 0 is without dither.
struct SoundChain: Sendable {
  /// The encodings of input and output, and what both have in common.
  struct Form: Sendable, Equatable {
    var input: SampleEncoding
    var output: SampleEncoding
    var layout: ChannelLayout
    /// Frames per second.
    var rate: Int
  }

  /// What is applied before the volume, in this order; empty if nothing is configured.
  private(set) var stages: [any SoundStage]
  /// The volume and its ramps.
  var gain = GainStage()
  /// Number of the next sample, for its dither.
  private var index: UInt32 = 0

  init(mapping: ChannelMapping = .stereo) {
    self.init(stages: mapping == .stereo ? [] : [ChannelStage(mapping: mapping)])
  }

  init(stages: [any SoundStage]) { self.stages = stages }

  /// Whether samples leave unchanged, now and until the gain is moved.
  ///
  /// - Parameter factor: applied to them in addition to the volume.
  func isTransparent(_ form: Form, factor: Double) -> Bool {
    form.input == form.output && gain.isTransparent(factor: factor)
      && stages.allSatisfy { $0.isTransparent(form.layout) }
  }

  /// Bytes that ``process(_:_:into:factor:)`` makes of `bytes` bytes.
  static func size(of bytes: Int, _ form: Form) -> Int { bytes / form.input.bytes * form.output.bytes }

  /// Processes whole frames; `output` must have room for as many.
  mutating func process(
    _ input: UnsafeRawBufferPointer, _ form: Form, into output: UnsafeMutableRawBufferPointer,
    factor: Double = 1
  ) {
    let channels = form.layout.channels
    guard channels > 0 else { return }
    let most = max(1, 1024 / channels)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: (most + 1) * channels) { scratch in
      withUnsafeTemporaryAllocation(of: SampleBlock.Change.self, capacity: channels) { changes in
        scratch.initialize(repeating: 0)
        process(input, form, into: output, factor, scratch, changes)
      }
    }
  }

  /// - Parameters:
  ///   - scratch: room for the dither of all channels, and for the samples of some frames.
  ///   - changes: room for one element per channel.
  private mutating func process(
    _ input: UnsafeRawBufferPointer, _ form: Form, into output: UnsafeMutableRawBufferPointer,
    _ factor: Double, _ scratch: UnsafeMutableBufferPointer<Double>,
    _ changes: UnsafeMutableBufferPointer<SampleBlock.Change>
  ) {
    let channels = form.layout.channels
    let (inputBytes, outputBytes) = (form.input.bytes * channels, form.output.bytes * channels)
    let frames = min(input.count / inputBytes, output.count / outputBytes)
    let most = scratch.count / channels - 1
    let dither = UnsafeMutableBufferPointer(rebasing: scratch[..<channels])
    var done = 0
    while done < frames {
      let count = min(most, frames - done, gain.mostFrames ?? .max)
      let values = UnsafeMutableBufferPointer(rebasing: scratch[channels..<(count + 1) * channels])
      SampleReading.read(
        UnsafeRawBufferPointer(rebasing: input[(done * inputBytes)...]), as: form.input, into: values)
      changes.initialize(repeating: .none)
      let block = SampleBlock(
        values: values, layout: form.layout, rate: form.rate, changes: changes)
      for index in stages.indices { stages[index].process(block) }
      gain.process(block, factor: factor)
      for channel in 0..<channels { dither[channel] = Self.dither(changes[channel], form) }
      SampleWriting.write(
        values, as: form.output,
        into: UnsafeMutableRawBufferPointer(rebasing: output[(done * outputBytes)...]),
        dither: UnsafeBufferPointer(dither), from: index)
      index &+= UInt32(truncatingIfNeeded: count * channels)
      done += count
    }
  }

  /// How much dither a channel needs: none where no bits are lost.
  private static func dither(_ change: SampleBlock.Change, _ form: Form) -> Double {
    guard let bits = form.output.bits, change != .silenced else { return 0 }
    return change == .none && bits >= form.input.bits ?? .max ? 0 : 1
  }
}
