/// Why rooms can't be put together, or told something as a group.
package enum RoomFailure: Error, Sendable, Hashable {
  /// A room can't listen to itself.
  case itself(String)
  /// It has no sender, or none that says where it sends.
  case cannotSend(String)
  /// Its sender is switched off.
  case senderOff(String)
  /// It has no receiver.
  case cannotReceive(String)
  /// The host listens to the room that is to listen to it.
  case listens(host: String, to: String)
  /// It listens to nobody, but others listen to it.
  case isHost(String, members: [String])

  package var words: String {
    switch self {
    case .itself(let name): "\(name) can't listen to itself"
    case .cannotSend(let name): "\(name) can't send what it plays to other rooms"
    case .senderOff(let name): "\(name) doesn't send: its sender is switched off"
    case .cannotReceive(let name): "\(name) can't play what other rooms send"
    case .listens(let host, let name): "\(host) listens to \(name); take it out of that group first"
    case .isHost(let name, let members):
      "\(name) listens to nobody; \(members.joined(separator: ", ")) \(members.count == 1 ? "listens" : "listen") to it"
    }
  }
}

/// What is to be done so that rooms play together.
package enum RoomJoining {
  /// What `room` is to be given so that it plays with `host`.
  ///
  /// If the host listens to another room, it is that one's sender. Members of `room` needn't be told: whom they are set to
  /// passes on what it hears.
  ///
  /// - Parameter rooms: all that are known.
  package static func sender(
    for room: Room, of host: Room, among rooms: [Room]
  ) throws(RoomFailure) -> RoomSender {
    guard room.udn != host.udn else { throw .itself(room.name) }
    guard room.canReceive else { throw .cannotReceive(room.name) }
    switch RoomGroups.host(of: host, among: rooms) {
    case .room(room.udn): throw .listens(host: host.name, to: room.name)
    case .room(let udn): return try sender(of: rooms.first { $0.udn == udn } ?? host)
    case .foreign:
      if let uri = room.senderURI, uri == host.receiverURI {
        throw .listens(host: host.name, to: room.name)
      }
      return RoomSender(uri: host.receiverURI, metadata: host.receiverMetadata)
    }
  }

  private static func sender(of room: Room) throws(RoomFailure) -> RoomSender {
    guard room.canSend, let uri = room.senderURI else { throw .cannotSend(room.name) }
    guard room.senderStatus != .disabled else { throw .senderOff(room.name) }
    return RoomSender(uri: uri, metadata: room.senderMetadata)
  }

  /// False if `room` listens to that already: then it isn't interrupted.
  package static func isNeeded(_ sender: RoomSender, for room: Room) -> Bool {
    !room.isListening || room.receiverURI != sender.uri || room.isStandby == true
  }

  /// Whether `room` is to be told to leave; false if it is in no group.
  package static func mayLeave(_ room: Room, among rooms: [Room]) throws(RoomFailure) -> Bool {
    if room.isReceiverActive { return true }
    let members = RoomGroups.of(rooms).first { $0.host == .room(room.udn) }?.members ?? []
    guard members.isEmpty else {
      throw .isHost(room.name, members: rooms.filter { members.contains($0.udn) }.map(\.name))
    }
    return false
  }
}
