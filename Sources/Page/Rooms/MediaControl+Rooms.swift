import ControlPoint
import HTTP
import NIOCore
import Renderers

/// What is asked for below `/api/v1/rooms`.
extension MediaControl: RoomsHandlers {
  public nonisolated func getRooms(_ context: APIContext) -> Reply<API.Rooms> {
    assumeIsolated { control in
      control.use()
      guard !control.followed.contains(.rooms) else { return .value(control.shownRooms) }
      return .later {
        await self.wait { run in
          run.own.present.isEmpty || !run.renderers.players.contains { $0.isThere && $0.isOpenHome }
        }
        await self.askRooms(await self.roomPlaces)
        return .value(await self.shownRooms)
      }
    }
  }

  public nonisolated func getReports(_ context: APIContext) -> Reply<API.RoomReports> {
    assumeIsolated { .value(API.RoomReports($0.reports.roomReports(), rooms: $0.roomPlaces)) }
  }

  public nonisolated func getNext(_ context: APIContext) -> Reply<API.NextTitles> {
    .value(API.NextTitles(playerState, party: party()))
  }

  public nonisolated func joinRoom(
    udn: String, _ body: API.RoomJoin, _ context: APIContext
  ) -> Reply<Done> {
    assumeIsolated { $0.use() }
    return .later {
      await self.answer { (control: isolated MediaControl) async throws(Problem) in
        try await control.join(udn, body.host)
      }
    }
  }

  public nonisolated func leaveRoom(udn: String, _ context: APIContext) -> Reply<Done> {
    assumeIsolated { $0.use() }
    return .later {
      await self.answer { (control: isolated MediaControl) async throws(Problem) in
        try await control.leave(udn)
      }
    }
  }

  public nonisolated func changeGroup(
    udn: String, _ body: API.GroupChange, _ context: APIContext
  ) -> Reply<Done> {
    guard body.volume == nil || body.step == nil else {
      return .problem(
        Problem(
          "out-of-range", .unprocessableContent, "Only one of `volume` and `step` can be set.",
          pointer: "/step"))
    }
    assumeIsolated { $0.use() }
    return .later {
      await self.answer { (control: isolated MediaControl) async throws(Problem) in
        try await control.change(udn, body)
      }
    }
  }

  private func answer(
    _ work: @Sendable (isolated MediaControl) async throws(Problem) -> Void
  ) async -> Outcome<Done> {
    do throws(Problem) {
      try await work(self)
      return .value(done)
    } catch {
      return .problem(error)
    }
  }

  // MARK: Commands

  private func join(_ udn: String, _ host: String) async throws(Problem) {
    let (place, rooms) = try await known(udn, and: host)
    let (room, hostRoom) = (try said(place), try said(try self.place(host)))
    let sender = try sender(for: room, of: hostRoom, rooms)
    guard RoomJoining.isNeeded(sender, for: room) else { return }
    try await tell([place]) { remote throws(RendererFailure) in try await remote.listen(to: sender) }
  }

  private func leave(_ udn: String) async throws(Problem) {
    let (room, rooms) = try await known(udn)
    guard try mayLeave(try said(room), rooms) else { return }
    try await tell([room]) { remote throws(RendererFailure) in try await remote.stopListening() }
  }

  private func change(_ udn: String, _ change: API.GroupChange) async throws(Problem) {
    let (host, rooms) = try await known(udn, isFresh: false)
    let hostUDN = try said(host).udn
    let members = RoomGroups.of(rooms).first { $0.hostRoom == hostUDN }?.members ?? []
    let wanted = Set([hostUDN] + members)
    let group = rooms.filter { wanted.contains($0.udn) }
    if try said(host).isListening, members.isEmpty {
      throw .conflict("\(host.name) listens to another room; that one's volume is the group's.")
    }
    let places = roomPlaces.filter { place in place.room.map { wanted.contains($0.udn) } ?? false }
    let steps = change.volume.map { GroupVolume.Change.to($0) } ?? change.step.map { .by($0) }
    if let steps {
      let levels = GroupSlide.plan(
        steps, of: group, host: hostUDN, after: &slide, now: .now())
      let volumes = Dictionary(levels.map { ($0.udn, $0.volume) }) { first, _ in first }
      try await tell(places.filter { volumes[$0.remote.udn] != nil }) { remote throws(RendererFailure) in
        if let volume = volumes[remote.udn] { try await remote.setVolume(volume) }
      }
    }
    if let isMuted = change.muted {
      try await tell(places) { remote throws(RendererFailure) in try await remote.setMuted(isMuted) }
    }
  }

  private func sender(for room: Room, of host: Room, _ rooms: [Room]) throws(Problem) -> RoomSender {
    do throws(RoomFailure) {
      return try RoomJoining.sender(for: room, of: host, among: rooms)
    } catch { throw Problem(error) }
  }

  private func mayLeave(_ room: Room, _ rooms: [Room]) throws(Problem) -> Bool {
    do throws(RoomFailure) {
      return try RoomJoining.mayLeave(room, among: rooms)
    } catch { throw Problem(error) }
  }

  // MARK: Finding rooms

  /// A room that is there.
  private func place(_ udn: String) throws(Problem) -> RoomPlace {
    let key = run?.renderers[udn]?.key
    let isSelf = isSelf(udn)
    guard let place = roomPlaces.first(where: { isSelf ? $0.isSelf : $0.key != nil && $0.key == key }) else {
      guard isSelf || key != nil else {
        throw .notFound("There is no renderer with this UDN on the network.")
      }
      throw .conflict("That renderer can't play together with others.", type: "no-room")
    }
    guard place.isThere else {
      throw .badGateway("“\(place.name)” has left the network, or doesn't answer any more.")
    }
    return place
  }

  /// Finds rooms, waits for them in the first moments of a search, and asks how they are; gives the first one, and all that are
  /// there.
  ///
  /// - Parameter isFresh: false if what a page is shown is good enough.
  private func known(
    _ udn: String, and other: String? = nil, isFresh: Bool = true
  ) async throws(Problem) -> (RoomPlace, [Room]) {
    for udn in [udn, other].compactMap(\.self) {
      let isSelf = isSelf(udn)
      await wait { run in
        isSelf
          ? run.own.present.isEmpty : run.renderers[udn].map { !$0.isThere || !$0.isOpenHome } ?? true
      }
    }
    var named = [try place(udn)]
    if let other { named.append(try place(other)) }
    if !followed.contains(.rooms) {
      await askRooms(roomPlaces)
    } else if isFresh || named.contains(where: { $0.room == nil }) {
      await askRooms(named)
    }
    return (try place(udn), roomPlaces.filter(\.isThere).compactMap(\.room))
  }

  /// What a room has said.
  private func said(_ place: RoomPlace) throws(Problem) -> Room {
    guard let room = place.room else {
      throw .badGateway(place.problem ?? "“\(place.name)” doesn't answer.")
    }
    return room
  }

  /// Tells rooms something, all at once, and that they are asked again.
  private func tell(
    _ places: [RoomPlace], _ body: @escaping @Sendable (RemoteRenderer) async throws(RendererFailure) -> Void
  ) async throws(Problem) {
    let results = await RemoteRenderer.each(of: places.map(\.remote), body)
    for key in places.compactMap(\.key) { touch(key) }
    for (place, result) in zip(places, results) {
      if case .failure(let failure) = result { throw Problem(failure, from: place.name) }
    }
  }
}

extension Problem {
  fileprivate init(_ failure: RoomFailure) { self = .conflict(failure.words + ".", type: "no-group") }
}
