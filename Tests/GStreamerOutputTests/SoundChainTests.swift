import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// What is done to samples on their way to the device.
@Suite struct SoundChainTests {
  private static let rate = 44100

  private func form(_ encoding: SampleEncoding, channels: Int = 2, mask: UInt64 = 0) -> SoundChain.Form {
    SoundChain.Form(
      input: encoding, output: encoding, layout: ChannelLayout(channels: channels, mask: mask),
      rate: Self.rate)
  }

  private func run(
    _ chain: inout SoundChain, _ bytes: [UInt8], _ form: SoundChain.Form, factor: Double = 1
  ) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: SoundChain.size(of: bytes.count, form))
    bytes.withUnsafeBytes { input in
      result.withUnsafeMutableBytes { chain.process(input, form, into: $0, factor: factor) }
    }
    return result
  }

  private func run(_ chain: inout SoundChain, _ samples: [Int16], channels: Int = 2, factor: Double = 1)
    -> [Int16]
  {
    let bytes = samples.withUnsafeBytes { Array($0) }
    return run(&chain, bytes, form(.s16, channels: channels), factor: factor).withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self))
    }
  }

  private func bytes(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
  }

  /// A sine of `bin` periods in all of it.
  private func sine(_ count: Int, bin: Int, level: Double) -> [Int16] {
    (0..<count).map {
      Int16((sin(2 * .pi * Double(bin * $0 % count) / Double(count)) * level * 32767).rounded())
    }
  }

  /// Amplitude of `bin` periods in all of it, in steps.
  private func amplitude(_ samples: [Int16], bin: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * .pi * Double(bin * index % samples.count) / Double(samples.count)
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
  }

  private func gain(_ step: Int, _ curve: VolumeCurve) -> Double {
    Volume(curve: curve, step: step).gain.left
  }

  @Test(arguments: SampleEncoding.allCases)
  func withFullVolumeSamplesStay(_ encoding: SampleEncoding) {
    var chain = SoundChain()
    let form = form(encoding)
    #expect(chain.isTransparent(form, factor: 1))
    #expect(!chain.isTransparent(form, factor: 0.5))
    // Whatever has to be read for another reason stays as well. Of floating point, quiet numbers only: noise is rarely one.
    var source = bytes(64 * encoding.bytes)
    if encoding == .f32 { source = (0..<64).flatMap { withUnsafeBytes(of: Float($0) / 77, Array.init) } }
    if encoding == .f64 { source = (0..<64).flatMap { withUnsafeBytes(of: Double($0) / 77, Array.init) } }
    if encoding == .s24in32 {
      source = (0..<64).flatMap { withUnsafeBytes(of: Int32($0 - 32) * 262143, Array.init) }
    }
    #expect(run(&chain, source, form) == source)
  }

  @Test func aWiderFormatHoldsTheSameNumbers() {
    var chain = SoundChain()
    let wide = SoundChain.Form(
      input: .s16, output: .s32, layout: ChannelLayout(channels: 2, mask: 0), rate: Self.rate)
    #expect(!chain.isTransparent(wide, factor: 1))
    #expect(run(&chain, [1, 0x80, 0xff, 0x7f], wide) == [0, 0, 1, 0x80, 0, 0, 0xff, 0x7f])
    chain.gain.ramp = GainRamp(.init(0.5, 0.5))
    // Half of an odd number needs the bits that are new; the dither is far below them.
    let half = run(&chain, [1, 0, 1, 0], wide).withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    #expect(half.allSatisfy { abs($0 - 32768) <= 2 })
  }

  @Test(arguments: [VolumeCurve.cubic, .linear, .decibel(range: 60)])
  func everyStepIsLouderThanTheOneBefore(_ curve: VolumeCurve) {
    let (count, bin) = (1 << 13, 186)
    let source = sine(count, bin: bin, level: 0.9)
    var before = 0.0
    for step in 2...100 {
      var chain = SoundChain()
      chain.gain.ramp = GainRamp(.init(gain(step, curve), 1))
      let level = amplitude(run(&chain, source, channels: 1, factor: gain(step, curve)), bin: bin)
      #expect(level > before, "step \(step)")
      before = level
    }
  }

  @Test func harmonicsOfAQuietSineAreBelowSeventyDecibels() {
    let (count, bin) = (1 << 19, 11_887)
    var chain = SoundChain()
    chain.gain.ramp = GainRamp(.init(repeating: gain(8, .cubic)))
    let played = run(&chain, sine(count, bin: bin, level: 1), channels: 1)
    let fundamental = amplitude(played, bin: bin)
    #expect(abs(20 * log10(fundamental / (32767 * gain(8, .cubic)))) < 0.1)
    for harmonic in 2...9 {
      let level = 20 * log10(amplitude(played, bin: bin * harmonic) / fundamental)
      #expect(level < -70, "harmonic \(harmonic)")
    }
  }

  @Test func ditherIsTriangularAndKnowsNothingOfTheSound() {
    let values = (0..<200_000).map { Dither.value(UInt32($0)) }
    let mean = values.reduce(0, +) / Double(values.count)
    let variance = values.reduce(0) { $0 + $1 * $1 } / Double(values.count)
    let following = zip(values, values.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / Double(values.count)
    #expect(abs(mean) < 0.005)
    #expect(abs(variance - 1.0 / 6) < 0.005)
    #expect(abs(following) < 0.002)
    #expect(values.allSatisfy { abs($0) < 1 })
    // The error of rounding has the same size whatever lies between two steps.
    for fraction in [0.0, 0.2, 0.5] {
      var chain = SoundChain()
      let source = [Int16](repeating: 10, count: 20_000)
      let wanted = 2 + fraction
      let played = run(&chain, source, channels: 1, factor: wanted / 10).map { Double($0) - wanted }
      #expect(abs(played.reduce(0, +) / 20_000) < 0.02)
      let power: Double = played.reduce(0) { $0 + $1 * $1 } / 20_000
      #expect(abs(power - 0.25) < 0.02)
    }
  }

  @Test(arguments: SampleEncoding.allCases)
  func blocksMayBeCutAnywhere(_ encoding: SampleEncoding) {
    let form = form(encoding, channels: 3)
    let frame = encoding.bytes * 3
    let source = [UInt8](repeating: 0x3c, count: 3000 * frame)
    func played(_ cuts: [Int]) -> [UInt8] {
      var chain = SoundChain(mapping: .mono)
      chain.gain.ramp = GainRamp(.init(1, 0.7))
      chain.gain.ramp.move(to: .init(0.2, 0.1), frames: 1777)
      var (result, at) = ([UInt8](), 0)
      for cut in cuts + [3000] {
        result += run(&chain, Array(source[at * frame..<cut * frame]), form)
        at = cut
      }
      return result
    }
    let whole = played([])
    #expect(played([1, 2, 400, 1700, 1776, 1777, 1778, 2999]) == whole)
    #expect(whole != source)
  }

  @Test func silenceIsSilence() {
    var chain = SoundChain()
    chain.gain.ramp = GainRamp(.init(0, 0.5))
    let played = run(&chain, [Int16](repeating: 20_000, count: 2000))
    #expect(stride(from: 0, to: 2000, by: 2).allSatisfy { played[$0] == 0 })
    #expect(stride(from: 1, to: 2000, by: 2).allSatisfy { abs(played[$0] - 10_000) <= 2 })
    // The side that keeps its volume keeps its samples.
    chain.gain.ramp = GainRamp(.init(0.5, 1))
    let half = run(&chain, [Int16](repeating: 20_001, count: 2000))
    #expect(stride(from: 1, to: 2000, by: 2).allSatisfy { half[$0] == 20_001 })
  }

  @Test func whatIsTooLoudIsHeldAtFullScale() {
    var chain = SoundChain()
    #expect(run(&chain, [30_000, -30_000], factor: 2) == [32767, -32768])
    let odd = [Float.nan, .infinity, -.infinity, 2].flatMap { withUnsafeBytes(of: $0, Array.init) }
    let narrow = SoundChain.Form(
      input: .f32, output: .s16, layout: ChannelLayout(channels: 1, mask: 0), rate: Self.rate)
    let held = run(&chain, odd, narrow).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    #expect(abs(held[0]) <= 1)
    #expect(Array(held[1...]) == [32767, -32768, 32767])
    chain.gain.ramp = GainRamp(.init(0, 0))
    #expect(run(&chain, odd, form(.f32)).allSatisfy { $0 == 0 })
  }

  @Test func aChangeOfGainIsGradual() {
    let frames = Self.rate / 50
    var chain = SoundChain()
    _ = run(&chain, [Int16](repeating: 30_000, count: 20))
    chain.gain.ramp.move(to: .init(0, 0), frames: frames)
    var played = run(&chain, [Int16](repeating: 30_000, count: 600))
    // On the way it is wanted louder again, from where it is.
    chain.gain.ramp.move(to: .init(1, 1), frames: frames)
    played += run(&chain, [Int16](repeating: 30_000, count: 2 * frames))
    let left = stride(from: 0, to: played.count, by: 2).map { Int(played[$0]) }
    let steps = zip([30_000] + left, left).map { abs($0 - $1) }
    // 1.5 is how steep the curve is at most.
    #expect((steps.max() ?? .max) < 30_000 * 3 / 2 / frames + 4)
    #expect((left.min() ?? .max) < 25_000)
    #expect(left.last == 30_000)
    #expect(chain.isTransparent(form(.s16), factor: 1))
  }

  @Test func aRampEndsExactlyWhereItShall() {
    var ramp = GainRamp(.init(1, 0.3))
    ramp.move(to: .init(0, 0), frames: 3)
    #expect(ramp.remaining == 3)
    let values = (0..<3).map { _ in ramp.next() }
    #expect(values[0].x < 1 && values[0].x > values[1].x && values[1].x > 0)
    #expect(values[2] == .init(0, 0))
    #expect(!ramp.isUnderWay)
    ramp.move(to: .init(0.5, 1), frames: 2)
    #expect(ramp.next().x > 0)
    #expect(ramp.next() == .init(0.5, 1))
    ramp.move(to: .init(0.5, 1), frames: 2)
    #expect(!ramp.isUnderWay)
  }

  @Test(arguments: [
    (ChannelMapping.stereo, [1000, 3000]), (.mono, [2000, 2000]), (.left, [1000, 1000]),
    (.right, [3000, 3000]), (.swapped, [3000, 1000]),
  ])
  func channelsAreMapped(_ mapping: ChannelMapping, _ expected: [Int16]) {
    var chain = SoundChain(mapping: mapping)
    let played = run(&chain, [1000, 3000, 1000, 3000])
    #expect(zip(played, expected + expected).allSatisfy { abs($0 - $1) <= 1 })
    if mapping != .mono { #expect(played == expected + expected) }
    // One channel has no sides, and so has silence.
    #expect(run(&chain, [1000], channels: 1) == [1000])
    #expect(chain.isTransparent(form(.s16), factor: 1) == (mapping == .stereo))
    #expect(chain.isTransparent(form(.s16, channels: 1), factor: 1))
  }

  @Test func eachPairOfLoudspeakersHasItsSides() {
    // Front left, front right, centre, deep, side left, side right; rear ones come before the side's.
    let surround = ChannelLayout(channels: 6, mask: 0x0c0f)
    #expect(surround.sides == [.left, .right, .both, .both, .left, .right])
    let eight = ChannelLayout(channels: 8, mask: 0x0c3f)
    #expect(eight.sides == [.left, .right, .both, .both, .left, .right, .left, .right])
    // Who doesn't say where they belong has a front at least.
    #expect(ChannelLayout(channels: 4, mask: 0).sides == [.left, .right, .both, .both])
    #expect(ChannelLayout(channels: 1, mask: 4).sides == [.both])
    #expect(ChannelLayout(channels: 2, mask: 0x30).sides == [.left, .right])
    var chain = SoundChain(mapping: .swapped)
    chain.gain.ramp = GainRamp(.init(0, 1))
    let source = (1...6).flatMap { withUnsafeBytes(of: Int16($0 * 100), Array.init) }
    let played = run(&chain, source, form(.s16, channels: 6, mask: 0x0c0f)).withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self))
    }
    #expect(played == [0, 100, 300, 400, 0, 500])
  }

  /// What an equaliser would be: a stage that knows what came before.
  private struct Difference: SoundStage {
    private var last = [0.0, 0.0]

    func isTransparent(_ layout: ChannelLayout) -> Bool { false }

    mutating func process(_ block: SampleBlock) {
      for at in block.values.indices {
        let channel = at % block.layout.channels
        (last[channel], block.values[at]) = (block.values[at], block.values[at] - last[channel])
      }
    }
  }

  @Test func aStageOfItsOwnIsOneEntryInTheList() {
    var chain = SoundChain(stages: [ChannelStage(mapping: .swapped), Difference()])
    #expect(!chain.isTransparent(form(.s16), factor: 1))
    #expect(run(&chain, [1, 10, 3, 30, 6, 60]) == [10, 1, 20, 2, 30, 3])
    // It goes on where the block before ended.
    #expect(run(&chain, [6, 60]) == [0, 0] as [Int16])
    #expect(run(&chain, [7, 61] as [Int16], factor: 0) == [0, 0])
  }
}
