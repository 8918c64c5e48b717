/// A volume on its way to another one, step by step. Whoever sets the volume meanwhile ends it.
struct VolumeRamp: Sendable, Equatable {
  /// The step where it ends.
  let target: Int
  /// The time between two steps.
  let interval: Duration
  /// The step that it has set last.
  private(set) var step: Int
  /// The wake-up that it waits for.
  var wake: WakeID

  init(from step: Int, to target: Int, interval: Duration, wake: WakeID) {
    (self.step, self.target, self.interval, self.wake) = (step, target, interval, wake)
  }

  /// Goes one step on from where the volume is.
  ///
  /// - Returns: the step to set; nil when the ramp is over.
  mutating func advance(from present: Int) -> Int? {
    guard present == step, step != target else { return nil }
    step += step < target ? 1 : -1
    return step
  }
}
