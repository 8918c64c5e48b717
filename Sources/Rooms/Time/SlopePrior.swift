/// What is known of a slope beside the measurements: by how much two clocks run apart.
struct SlopePrior {
  var slope: Double
  /// The standard deviation.
  var spread: Double
  /// It is never known better: crystals follow their temperature.
  var leastSpread = 1e-6

  /// How much it speaks for a larger slope than this one: the derivative of the logarithm of the likelihood. It doesn't
  /// grow for ever, so that measurements win over what was known wrongly.
  func pull(slope: Double) -> Double {
    let distance = (self.slope - slope) / spread
    return min(max(distance, -1.5), 1.5) / spread
  }

  /// The logarithm of the likelihood.
  func worth(slope: Double) -> Double {
    let distance = abs(self.slope - slope) / spread
    return distance < 1.5 ? -distance * distance / 2 : 1.125 - 1.5 * distance
  }

  /// What was measured over a long window is known from then on.
  ///
  /// - Parameter elapsed: nanoseconds since this was called last. In a minute, most is learnt.
  mutating func learn(_ measured: Double, elapsed: Int64) {
    let share = min(max(Double(elapsed) / 60e9, 0), 1)
    slope += (measured - slope) * share
    spread = max(leastSpread, spread * (1 - share))
  }

  /// Where `pull`, which falls with the slope, is 0; within ±`most`.
  static func slope(most: Double, where pull: (Double) -> Double) -> Double {
    var (low, high) = (-most, most)
    for _ in 0..<34 {
      let middle = (low + high) / 2
      if pull(middle) > 0 { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
