extension Volume {
  /// The volume of `settings`, with the master at `step` if it was lost. Values out of range or above the
  /// limit are clamped.
  init(curve: VolumeCurve, limit: Int, step: Int, settings: SavedPlayer) {
    self.init(curve: curve, limit: limit, step: step)
    let saved: [(VolumeChannel, PlayerSnapshot.Channel?)] = [
      (.master, settings.master), (.left, settings.left), (.right, settings.right),
    ]
    for case (let channel, let value?) in saved {
      setLevel(value.decibels, of: channel)
      setMute(value.isMuted, of: channel)
      setTrim(value.trim, of: channel)
      setOffset(value.offset, of: channel)
    }
  }
}
