/// Who plays with whom, of what the zones of a household say about themselves. The same facts give the same groups in every
/// zone, in whatever order they came.
enum ZoneHousehold {
  /// The groups, ordered by their coordinators; in each the coordinator first, then the others by their UIDs.
  static func groups(of zones: [ZoneFacts]) -> [ZoneGroup] {
    let zones = Dictionary(zones.map { ($0.uid, $0) }) { first, _ in first }.values.sorted { $0.uid < $1.uid }
    let leaders = leaders(zones)
    var members: [String: [ZoneFacts]] = [:]
    for zone in zones { members[root(of: zone.uid, leaders), default: []].append(zone) }
    return members.sorted { $0.key < $1.key }.map { coordinator, zones in
      let ordered = zones.filter { $0.uid == coordinator } + zones.filter { $0.uid != coordinator }
      return ZoneGroup(id: "\(coordinator):\(number(of: ordered))", members: ordered.map(\.member))
    }
  }

  /// The zones that listen to this one themselves, and not to one that passes it on.
  static func followers(of zone: ZoneFacts, among zones: [ZoneFacts]) -> [ZoneFacts] {
    guard !zone.sender.uri.isEmpty else { return [] }
    return zones.filter { $0.uid != zone.uid && $0.listensTo == zone.sender.uri }.sorted { $0.uid < $1.uid }
  }

  /// By the UID of a zone that listens to another one of them: that one's UID.
  private static func leaders(_ zones: [ZoneFacts]) -> [String: String] {
    let senders = Dictionary(zones.filter { !$0.sender.uri.isEmpty }.map { ($0.sender.uri, $0.uid) }) {
      first, _ in first
    }
    var leaders: [String: String] = [:]
    for zone in zones where !zone.listensTo.isEmpty { leaders[zone.uid] = senders[zone.listensTo] }
    return leaders
  }

  /// Whom a zone hears in the end. Those that listen in a circle find the same one: the first of the circle.
  private static func root(of uid: String, _ leaders: [String: String]) -> String {
    var path = [uid]
    while let next = leaders[path[path.count - 1]] {
      if let again = path.firstIndex(of: next) { return path[again...].min() ?? next }
      path.append(next)
    }
    return path[path.count - 1]
  }

  /// The number in the id of a group: another one whenever somebody has come or gone. FNV-1a over what makes the group.
  private static func number(of zones: [ZoneFacts]) -> UInt32 {
    let text = zones.map { "\($0.uid) \($0.member.bootSequence) \($0.turn)" }.joined(separator: "\n")
    return text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}
