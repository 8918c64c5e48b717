import Player

/// Makes the volume outside of the samples.
protocol Mixer: Sendable {
  /// Takes over `volume`; returns at once, and only the latest counts.
  func apply(_ volume: Volume)
  /// Lets go of everything.
  func close()
}

/// The gain that is left for the samples when a mixer makes the volume.
enum MixerGain {
  /// Balance, and silence: no card is sure to have that, and nothing is quieter than nothing. The loudest side stays
  /// untouched.
  static func remaining(of volume: Volume) -> (left: Double, right: Double) {
    guard !volume.isMuted(.master) else { return (0, 0) }
    let gain = volume.gain
    let loudest = max(gain.left, gain.right)
    return loudest > 0 ? (gain.left / loudest, gain.right / loudest) : (0, 0)
  }

  /// With a fixed volume: all or, when muted, nothing.
  static func fixed(_ volume: Volume) -> (left: Double, right: Double) {
    volume.isMuted(.master) ? (0, 0) : (1, 1)
  }
}
