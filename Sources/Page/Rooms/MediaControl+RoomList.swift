import ControlPoint
import NIOCore
import Renderers

/// This speaker as it is shown among the renderers and the rooms.
struct OwnPlace: Sendable, Hashable {
  var renderer: API.Renderer
  /// What its receiver is set to, and whether that is chosen.
  var sender: String
  var isReceiver: Bool
}

/// The rooms that can play together: which there are, and what they say.
extension MediaControl {
  var ownPlace: OwnPlace {
    let state = playerState
    return OwnPlace(
      renderer: ownRenderer, sender: state.receiver.sender?.uri ?? "",
      isReceiver: state.activeSource == .receiver)
  }

  /// The rooms, this speaker first.
  var roomPlaces: [RoomPlace] {
    guard let run else { return [] }
    let others = run.renderers.players.compactMap { player -> RoomPlace? in
      let remote = RemoteRenderer(player.devices, through: run.controlPoint)
      guard remote.isRoom else { return nil }
      let report = run.renderers.reports[player.key]
      return RoomPlace(
        udn: player.udn, name: player.name, isSelf: false, isThere: player.isThere, remote: remote,
        room: report?.room, problem: report?.problem, key: player.key)
    }
    return [ownRoom].compactMap(\.self) + others
  }

  /// This speaker as a room, once it has found itself.
  private var ownRoom: RoomPlace? {
    guard let run, let device = run.own.present.first else { return nil }
    let remote = RemoteRenderer([device], through: run.controlPoint)
    guard remote.isRoom else { return nil }
    var room =
      run.ownRoom ?? Room(udn: device.udn, name: settings.name, address: DeviceFacts(device).address)
    room.canReceive = remote.services.contains(.receiver)
    room.take(playerState)
    return RoomPlace(
      udn: settings.udns.first ?? device.udn, name: settings.name, isSelf: true, isThere: true,
      remote: remote, room: room)
  }

  var shownRooms: API.Rooms {
    API.Rooms(
      version: roomsVersion, rooms: API.Room.list(roomPlaces), isSearching: isSearching,
      next: run?.upcoming?.titles, party: shownParty)
  }

  /// The party of the room that this speaker listens to.
  private var shownParty: API.RoomParty? {
    guard let address = run?.upcoming?.partyAddress, let room = heardRoom else { return nil }
    return API.RoomParty(name: room.name, address: address)
  }

  // MARK: Asking

  /// A page begins to show the rooms, or this speaker has found itself.
  func adjustRooms() {
    guard followed.contains(.rooms) else { return }
    Task { await askOwnRoom() }
    for player in run?.renderers.players ?? [] where player.isThere { touch(player.key) }
  }

  /// Asks this speaker for what others hear of it: what to listen to, to hear it.
  func askOwnRoom() async {
    guard let id = run?.id, let remote = ownRoom?.remote else { return }
    guard let room = try? await remote.room(), run?.id == id, run?.ownRoom != room else { return }
    run?.ownRoom = room
    changed(.rooms)
  }

  /// Asks rooms for how they are now; waits for no longer than a second.
  func askRooms(_ places: [RoomPlace]) async {
    let places = places.filter(\.isThere).prefix(16)
    guard !places.isEmpty else { return }
    await withTaskGroup(of: Bool.self) { group in
      for place in places {
        group.addTask {
          if let key = place.key { await self.ask(key, asRoom: true) } else { await self.askOwnRoom() }
          return true
        }
      }
      group.addTask {
        await self.eventLoop.pause(for: Self.patience)
        return false
      }
      var left = places.count
      while left > 0, await group.next() == true { left -= 1 }
      group.cancelAll()
    }
  }
}
