import Player

/// Sets the volume outside of the samples.
protocol Mixer: Sendable {
  /// Sets the volume to `volume`. Returns at once; only the latest call counts.
  func apply(_ volume: Volume)
  /// Restores the level of `volume` after the sound device was opened again, since its card may have lost it.
  func deviceOpened(_ volume: Volume)
  /// Calls `changed`, on any thread, for changes by others, but not for those that ``apply(_:)`` makes.
  func follow(_ changed: @escaping @Sendable (MixerChange) -> Void)
  /// Releases all resources.
  func close()
}

extension Mixer {
  func deviceOpened(_ volume: Volume) {}
  func follow(_ changed: @escaping @Sendable (MixerChange) -> Void) {}
}

/// The gain that remains for the samples when a mixer sets the volume.
enum MixerGain {
  /// Balance and silence. Not every card can balance or mute, and zero samples are always silent. The louder side stays
  /// at full gain.
  static func remaining(of volume: Volume) -> (left: Double, right: Double) {
    guard !volume.isMuted(.master) else { return (0, 0) }
    let gain = volume.gain
    let loudest = max(gain.left, gain.right)
    return loudest > 0 ? (gain.left / loudest, gain.right / loudest) : (0, 0)
  }

  /// The gain with a fixed volume: full, or zero when muted.
  static func fixed(_ volume: Volume) -> (left: Double, right: Double) {
    volume.isMuted(.master) ? (0, 0) : (1, 1)
  }
}
