import Player
import UPnP

/// Household: what this zone tells the other ones of this program. Controllers don't know it.
struct ZoneHouseholdService: ZoneHousehold1.Provider {
  let home: ZoneHome
  let grouping: ZoneGrouping?

  func commands(for context: ActionContext) -> ZoneHouseholdCommands {
    ZoneHouseholdCommands(grouping: grouping)
  }

  var view: ZoneHouseholdView { ZoneHouseholdView(facts: home.facts) }
}

/// The view of Household.
struct ZoneHouseholdView: ZoneHousehold1.View {
  let facts: ZoneFacts

  var household: String { facts.household }
  var standing: UInt32 { facts.standing.rawValue }
  var roomName: String { facts.member.name }
  var roomIcon: String { facts.member.icon }
  var bootSeq: UInt32 { UInt32(clamping: facts.member.bootSequence) }
  var isIdle: Bool { facts.member.isIdle }
  var sender: String { facts.sender.document }
  var listensTo: String { facts.listensTo }
  var turn: UInt32 { facts.turn }
  var volume: UInt16 { UInt16(clamping: facts.volume) }
  var isMuted: Bool { facts.isMuted }
}

/// The action of Household.
struct ZoneHouseholdCommands: ZoneHousehold1.Commands {
  let grouping: ZoneGrouping?

  /// Listens to the zone itself, also while that one still listens to somebody else.
  func follow(zone: String) throws(UPnPError) {
    guard let grouping else { throw .zoneNotSupported }
    try grouping.follow(zone)
  }
}
