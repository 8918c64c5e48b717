/// The gain of the left and the right side, and its transition from one value to the next without a click.
struct GainRamp: Sendable, Equatable {
  /// Left and right.
  typealias Gain = SIMD2<Double>

  private var start: Gain
  /// The gain at the end of the ramp.
  private(set) var target: Gain
  private var position = 0
  private var length = 0

  /// Constant at `gain`.
  init(_ gain: Gain = Gain(1, 1)) {
    start = gain
    target = gain
  }

  var isUnderWay: Bool { position < length }
  /// Frames until the ramp ends.
  var remaining: Int { length - position }

  /// The gain of the last frame.
  var current: Gain { isUnderWay ? value(at: position) : target }

  /// Goes from the current gain to `gain` within `frames`.
  mutating func move(to gain: Gain, frames: Int) {
    guard gain != target else { return }
    let now = current
    guard now != gain else {
      self = GainRamp(gain)
      return
    }
    (start, target, position, length) = (now, gain, 0, max(1, frames))
  }

  /// The gain of the next frame.
  mutating func next() -> Gain {
    guard isUnderWay else { return target }
    position += 1
    return value(at: position)
  }

  /// A curve that is level at both ends. The last value is exactly the target.
  private func value(at position: Int) -> Gain {
    guard position < length else { return target }
    let part = Double(position) / Double(length)
    let weight = part * part * (3 - 2 * part)
    return start + (target - start) * weight
  }
}
