/// Rooms that play together: one that plays, and those that listen to it.
///
/// Nothing else makes a group than the receivers that are set to its sender.
package struct RoomGroup: Sendable, Hashable {
  package enum Host: Sendable, Hashable {
    /// The UDN of the room that plays.
    case room(String)
    /// The address of a sender that is none of the rooms: one that wasn't found, or a program on a computer.
    case foreign(String)
  }

  package var host: Host
  /// The UDNs of those that listen, in the order of the rooms.
  package var members: [String]

  package init(host: Host, members: [String]) {
    self.host = host
    self.members = members
  }

  /// The UDN of the room that plays; nil if that is none of the rooms.
  package var hostRoom: String? { if case .room(let udn) = host { udn } else { nil } }

  /// Host and members, the host first.
  package var udns: [String] { [hostRoom].compactMap(\.self) + members }
}

/// Which rooms play together.
package enum RoomGroups {
  /// The groups among some rooms, in the order in which their hosts come, those of foreign senders last.
  ///
  /// Who listens to one that listens itself belongs to the one that plays: a room that listens passes on what it is set to.
  package static func of(_ rooms: [Room]) -> [RoomGroup] {
    let origins = Origins(rooms)
    var members: [RoomGroup.Host: [String]] = [:]
    var foreign: [RoomGroup.Host] = []
    for room in rooms where room.isListening {
      let host = origins.host(of: room)
      guard host != .room(room.udn) else { continue }
      if case .foreign = host, members[host] == nil { foreign.append(host) }
      members[host, default: []].append(room.udn)
    }
    return (rooms.map { .room($0.udn) } + foreign).compactMap { host in
      members.removeValue(forKey: host).map { RoomGroup(host: host, members: $0) }
    }
  }

  /// Whom `room` hears in the end: itself if it doesn't listen.
  package static func host(of room: Room, among rooms: [Room]) -> RoomGroup.Host {
    Origins(rooms).host(of: room)
  }

  /// Follows rooms to the one that they hear.
  private struct Origins {
    private let bySender: [String: Room]

    init(_ rooms: [Room]) {
      let senders = rooms.compactMap { room in room.senderURI.map { ($0, room) } }
      bySender = Dictionary(senders) { first, _ in first }
    }

    func host(of room: Room) -> RoomGroup.Host {
      var (path, place) = ([room.udn], room)
      while place.isListening {
        guard let next = bySender[place.receiverURI] else { return .foreign(place.receiverURI) }
        if let again = path.firstIndex(of: next.udn) {
          // They listen to each other, and none hears anything. All of them find the same one.
          return .room(path[again...].min() ?? next.udn)
        }
        path.append(next.udn)
        place = next
      }
      return .room(place.udn)
    }
  }
}
