import Renderers

/// How rooms and groups are shown.
enum RoomList {
  static func report(_ rooms: [Room]) -> Report {
    let groups = RoomGroups.of(rooms)
    var table = Table(["ROOM", "STATE", "VOLUME", "PLAYS", "WITH"])
    for (room, depth, host) in order(rooms, groups) {
      let name = String(repeating: "  ", count: depth) + (room?.name ?? host)
      table.add([
        name, room.map(state), room.flatMap(volume), room.flatMap(song), depth > 0 ? host : nil,
      ])
    }
    return Report(
      json: json(rooms, groups), body: .table(table),
      whenEmpty: "no room answered that can play with others; \"vireoctl doctor\" looks for the reason")
  }

  /// Groups first, each member behind its host, then the rooms that are alone.
  ///
  /// - Returns: the room (nil for a host that is none), how far it is set in, and whom it listens to.
  private static func order(
    _ rooms: [Room], _ groups: [RoomGroup]
  ) -> [(room: Room?, depth: Int, host: String)] {
    func room(_ udn: String) -> Room? { rooms.first { $0.udn == udn } }
    let grouped = Set(groups.flatMap(\.udns))
    let trees = groups.flatMap { group in
      let host = name(of: group, rooms)
      return [(room: group.hostRoom.flatMap(room), depth: 0, host: host)]
        + group.members.map { (room: room($0), depth: 1, host: host) }
    }
    return trees + rooms.filter { !grouped.contains($0.udn) }.map { (room: $0, depth: 0, host: "") }
  }

  /// The host's name; of one that is none of the rooms, what its listeners know of it.
  static func name(of group: RoomGroup, _ rooms: [Room]) -> String {
    switch group.host {
    case .room(let udn): rooms.first { $0.udn == udn }?.name ?? udn
    case .foreign(let uri):
      "\(rooms.lazy.filter { $0.receiverURI == uri }.compactMap(\.receiverName).first ?? uri) (not found)"
    }
  }

  private static func state(_ room: Room) -> String {
    if room.isStandby == true { return "standby" }
    if room.isReceiverActive, room.receiverState == .waiting { return "waiting" }
    return room.state.rawValue.lowercased()
  }

  private static func volume(_ room: Room) -> String? {
    room.volume.map { "\($0)" + (room.isMuted == true ? " (muted)" : "") }
  }

  private static func song(_ room: Room) -> String? {
    guard room.state != .stopped, room.isStandby != true else { return nil }
    let parts = [room.artist, room.title].compactMap(\.self).filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: " – ")
  }

  // MARK: JSON

  static func json(_ rooms: [Room], _ groups: [RoomGroup]) -> JSON {
    .members([
      "rooms": .array(rooms.map { json($0) }),
      "groups": .array(
        groups.map { group in
          var foreign: String?
          if case .foreign(let uri) = group.host { foreign = uri }
          return .members([
            "name": .string(name(of: group, rooms)), "host": .string(group.hostRoom),
            "sender": .string(foreign), "members": .array(group.members.map { .string($0) }),
          ])
        }),
    ])
  }

  private static func json(_ room: Room) -> JSON {
    .members([
      "name": .string(room.name), "udn": .string(room.udn), "address": .string("\(room.address)"),
      "model": .string(room.model), "state": .string(room.state.rawValue), "standby": .bool(room.isStandby),
      "title": .string(room.title), "artist": .string(room.artist), "volume": .number(room.volume),
      "mute": .bool(room.isMuted), "canSend": .bool(room.canSend), "canReceive": .bool(room.canReceive),
      "sender": .string(room.senderURI), "senderStatus": .string(room.senderStatus?.rawValue),
      "receiver": .string(room.receiverURI.isEmpty ? nil : room.receiverURI),
      "receiverState": .string(room.canReceive ? room.receiverState.rawValue : nil),
      "listens": .bool(room.isListening),
    ])
  }
}
