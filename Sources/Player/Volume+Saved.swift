extension Volume {
  /// The volume of `saved`, with the master at `step` if it was lost. Values out of range or above the
  /// limit are clamped.
  init(curve: VolumeCurve, limit: Int, step: Int, saved: SavedPlayer) {
    self.init(curve: curve, limit: limit, step: step)
    let channels: [(VolumeChannel, PlayerSnapshot.Channel?)] = [
      (.master, saved.master), (.left, saved.left), (.right, saved.right),
    ]
    for case (let channel, let value?) in channels {
      setLevel(value.decibels, of: channel)
      setMute(value.isMuted, of: channel)
      setTrim(value.trim, of: channel)
      setOffset(value.offset, of: channel)
    }
  }
}
