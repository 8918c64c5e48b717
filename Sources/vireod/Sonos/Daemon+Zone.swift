/// The zone for controllers of the Sonos class.
extension Daemon {
  /// Shows or withdraws the zone, or announces it anew since its description has changed (`shows` is nil).
  func presentZone(_ shows: Bool?) {
    let old = showsZone
    showsZone = shows ?? old
    if shows == nil || showsZone != old { present() }
  }
}
