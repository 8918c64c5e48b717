/// Whether controllers of the Sonos class find the zone, and if not, why.
struct ZoneReach: Sendable, Hashable {
  enum Presence: Sendable, Hashable {
    /// It looks for others before it shows itself.
    case looks
    case shown
    /// Beside zones of another maker, who belong to that household.
    case hides(household: String)
  }

  var presence = Presence.looks
  /// Why its port can't be opened, by address.
  var failures: [String: String] = [:]
  /// How many other zones of its household there are.
  var others = 0
}
