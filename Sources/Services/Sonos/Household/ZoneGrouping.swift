import Player
import UPnP

/// Joins this zone to the group of another one, takes it out, and hands its group to another one.
///
/// A group is nothing but rooms that listen to one sender: joining makes the receiver listen, and leaving stops it.
public struct ZoneGrouping: Sendable {
  let home: ZoneHome
  let neighbours: any ZoneNeighbours
  let queueURI: String

  private var player: PlayerCore { home.player }
  private var uid: String { home.identity.uid }
  private var now: PlayerInstant { player.assumeIsolated { $0.now } }

  /// This zone as controllers see it while it plays by itself.
  private var view: ZoneAVTransportView {
    player.assumeIsolated {
      ZoneAVTransportView(state: $0.state, now: $0.now, queueURI: queueURI, coordinator: nil)
    }
  }

  /// How long all calls of a handover may take together. Most controllers wait for 10 or 20 seconds.
  private static let handoverTime = Duration.seconds(8)

  // MARK: Joining

  /// Listens to the group of that zone, which may be any of its members.
  func join(_ uid: String) throws(UPnPError) {
    guard !isMember(uid) else { return }
    let coordinator = try coordinator(of: uid)
    // Who listens already isn't interrupted.
    guard home.coordinator?.uid != coordinator else { return }
    try follow(coordinator)
  }

  /// As ``join(_:)``, for the coordinator of others: those play on by themselves.
  nonisolated(nonsending) func joinAsCoordinator(_ uid: String) async throws(UPnPError) {
    guard !isMember(uid) else { return }
    _ = try coordinator(of: uid)
    _ = try await leave()
    // Meanwhile that one may have joined others, or the group that this zone has left.
    try follow(coordinator(of: uid))
  }

  /// Whether others listen to this zone.
  var hasMembers: Bool {
    let group = home.group
    return group.members.count > 1 && group.members.first?.uid == uid
  }

  /// Whether that zone listens to this one: they are together already. A member that asks for all of them (`partymode`) makes its
  /// own coordinator be told so.
  private func isMember(_ uid: String) -> Bool {
    let group = home.group
    return uid != self.uid && group.members.first?.uid == self.uid && group.members.contains { $0.uid == uid }
  }

  private func coordinator(of uid: String) throws(UPnPError) -> String {
    guard let group = home.groups.first(where: { $0.members.contains { $0.uid == uid } }),
      let coordinator = group.members.first?.uid, uid != self.uid, coordinator != self.uid,
      isAudible(coordinator)
    else { throw .zoneCannotJoin }
    return coordinator
  }

  private func isAudible(_ uid: String) -> Bool {
    player.currentState.sender.isEnabled && home.zones.contains { $0.uid == uid && !$0.sender.uri.isEmpty }
  }

  /// Whether there are zones that have to be told what this one does.
  var hasNeighbours: Bool { !home.neighbours.isEmpty }

  /// Tells the zone that this one listened to before, and the one that it listens to now, if that has changed. Their events come a
  /// moment later; by then a controller may have asked them for something that depends on it.
  ///
  /// - Parameter old: the address of the sender that this zone listened to before.
  nonisolated(nonsending) func tellWhomItHears(insteadOf old: String) async {
    let facts = home.facts
    guard facts.listensTo != old else { return }
    let concerned = home.zones.filter {
      $0.uid != uid && !$0.sender.uri.isEmpty && [old, facts.listensTo].contains($0.sender.uri)
    }
    guard !concerned.isEmpty else { return }
    _ = await neighbours.callEach(concerned.map { ($0.uid, .listens(facts)) })
  }

  /// Listens to that zone itself.
  func follow(_ uid: String) throws(UPnPError) {
    guard uid != self.uid, isAudible(uid), let zone = home.zones.first(where: { $0.uid == uid }) else {
      throw .zoneCannotJoin
    }
    try player.changeZone(.receiver(.setSender(Media(uri: zone.sender.uri, metadata: zone.sender.document))))
    try player.changeZone(.receiver(.play))
  }

  // MARK: Leaving

  /// Takes this zone out of its group. The coordinator of others hands over to the first of them that takes over.
  ///
  /// - Returns: the UID of the zone that plays on in this one's place; empty when there is none.
  nonisolated(nonsending) func leave() async throws(UPnPError) -> String {
    let group = home.group
    guard group.members.first?.uid == uid else {
      try await leaveAsMember(of: group)
      return ""
    }
    let others = group.members.dropFirst().map(\.uid)
    guard !others.isEmpty else {
      // It may listen to somebody who is no zone.
      if !home.facts.listensTo.isEmpty { try rest() }
      return ""
    }
    try begin()
    defer { home.endHandover() }
    let start = now
    for candidate in others where await takesOver(candidate, since: start) {
      let others = others + home.group.members.map(\.uid)
      try rest()
      await follow(candidate, others)
      return candidate
    }
    // Nobody takes over, so nobody is left to listen to silence.
    _ = await neighbours.callEach(others.map { ($0, ZoneCall.standAlone) })
    try rest()
    return ""
  }

  /// Stops at this zone's own queue.
  private func rest() throws(UPnPError) {
    try player.changeZone(.zone(.stop))
    try player.changeZone(.zone(.selectQueue))
  }

  /// Those that listen to this zone, which passes on what it hears, listen to the coordinator themselves from now on.
  private nonisolated(nonsending) func leaveAsMember(of group: ZoneGroup) async throws(UPnPError) {
    let followers = ZoneHousehold.followers(of: home.facts, among: home.zones).map(\.uid)
    try rest()
    guard let coordinator = group.members.first?.uid else { return }
    await follow(coordinator, followers.filter { $0 != coordinator })
  }

  // MARK: Handing over

  /// Lets another zone of the group be its coordinator.
  ///
  /// - Parameter rejoins: whether this zone stays in the group.
  nonisolated(nonsending) func delegate(to new: String, rejoins: Bool) async throws(UPnPError) {
    let group = home.group
    guard group.members.first?.uid == uid, new != uid, group.members.contains(where: { $0.uid == new }) else {
      throw .zoneCannotJoin
    }
    try begin()
    defer { home.endHandover() }
    guard await takesOver(new, since: now) else {
      throw UPnPError(code: 501, description: "The other zone doesn't take over")
    }
    let others = group.members.map(\.uid) + home.group.members.map(\.uid)
    try rest()
    if rejoins { try follow(new) }
    await follow(new, others)
  }

  private func begin() throws(UPnPError) {
    guard home.beginHandover() else {
      throw UPnPError(code: 501, description: "This zone is handing over already")
    }
  }

  /// Hands queue, place and play mode to that zone, which then plays.
  private nonisolated(nonsending) func takesOver(_ new: String, since start: PlayerInstant) async -> Bool {
    for call in ZoneHandover.queueCalls(player.currentState) {
      guard await tell(call, to: new, since: start) else { return false }
    }
    // Only now: it has gone on playing meanwhile.
    for call in ZoneHandover.playCalls(view, to: new) {
      guard await tell(call, to: new, since: start) || ZoneHandover.mayFail(call) else { return false }
    }
    return true
  }

  private nonisolated(nonsending) func tell(
    _ call: ZoneCall, to uid: String, since start: PlayerInstant
  ) async -> Bool {
    guard now.duration(since: start) < Self.handoverTime else { return false }
    return await neighbours.call(call, of: uid)
  }

  /// Lets others listen to the zone that has taken over: also those that have joined meanwhile.
  private nonisolated(nonsending) func follow(_ new: String, _ others: [String]) async {
    let others = Set(others).subtracting([new, uid]).sorted()
    _ = await neighbours.callEach(others.map { ($0, ZoneCall.follow(new)) })
  }
}
