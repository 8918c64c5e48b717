/// Applies the volume of the left and the right side, and the factor of the source's loudness. Pure.
struct GainStage: Sendable {
  var ramp = GainRamp()

  /// Whether samples leave unchanged, now and until ``ramp`` is moved.
  func isTransparent(factor: Double) -> Bool {
    factor == 1 && !ramp.isUnderWay && ramp.target == GainRamp.Gain(1, 1)
  }

  /// The most frames for one ``process(_:factor:)``; nil: any number.
  var mostFrames: Int? { ramp.isUnderWay ? ramp.remaining : nil }

  /// Processes whole frames in place.
  mutating func process(_ block: SampleBlock, factor: Double) {
    let (values, sides) = (block.values, block.layout.sides)
    if ramp.isUnderWay {
      var at = 0
      while at < values.count {
        let gain = ramp.next() * factor
        for side in sides {
          values[at] *= Self.gain(gain, side)
          at += 1
        }
      }
      for channel in sides.indices { block.changes[channel] = .computed }
      return
    }
    let gain = ramp.target * factor
    if sides.count == 2, Self.gain(gain, sides[0]) != 0, Self.gain(gain, sides[1]) != 0 {
      let (left, right) = (Self.gain(gain, sides[0]), Self.gain(gain, sides[1]))
      for at in stride(from: 0, to: values.count - 1, by: 2) {
        values[at] *= left
        values[at + 1] *= right
      }
    } else {
      for (channel, side) in sides.enumerated() {
        let factor = Self.gain(gain, side)
        guard factor != 1 else { continue }
        for at in stride(from: channel, to: values.count, by: sides.count) {
          // NaN would stay NaN.
          values[at] = factor == 0 ? 0 : values[at] * factor
        }
      }
    }
    for (channel, side) in sides.enumerated() {
      let factor = Self.gain(gain, side)
      if factor != 1 { block.changes[channel] = factor == 0 ? .silenced : .computed }
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
