import Player
import UPnP

/// Household: what this zone tells the other ones of this program. Controllers don't know it.
struct ZoneHouseholdService: ZoneHousehold1.Provider {
  let home: ZoneHome
  let grouping: ZoneGrouping?

  func commands(for context: ActionContext) -> ZoneHouseholdCommands {
    ZoneHouseholdCommands(home: home, grouping: grouping, context: context)
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

/// The actions of Household.
struct ZoneHouseholdCommands: ZoneHousehold1.Commands {
  let home: ZoneHome
  let grouping: ZoneGrouping?
  let context: ActionContext

  /// Listens to the zone itself, also while that one still listens to somebody else.
  func follow(zone: String) throws(UPnPError) {
    guard let grouping else { throw .zoneNotSupported }
    try grouping.follow(zone)
  }

  /// Takes what another zone listens to now, before its event says so. Only that zone itself may say it.
  func listens(zone: String, to: String, itsTurn: UInt32) throws(UPnPError) {
    guard to.utf8.count <= ZoneFacts.longestAddress,
      home.neighbours.contains(where: {
        $0.uid == zone && $0.member.address == "\(context.remoteAddress.unmapped)"
      })
    else { throw .invalidArgs("Zone") }
    home.note({ ($0.listensTo, $0.turn) = (to, itsTurn) }, of: [zone])
  }
}
