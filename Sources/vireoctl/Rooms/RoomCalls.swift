import Renderers

/// The same for several rooms at once.
enum RoomCalls {
  /// - Throws: ``Failure`` for the first that fails, with the others below it; all are tried.
  static func all(
    _ rooms: [FoundRoom],
    _ body: @escaping @Sendable (RemoteRenderer) async throws(RendererFailure) -> Void
  ) async throws {
    let results = await RemoteRenderer.each(of: rooms.map(\.renderer), body)
    let failures = zip(rooms, results).compactMap { room, result -> Failure? in
      guard case .failure(let failure) = result else { return nil }
      return Failure(failure, from: room.room.name)
    }
    guard var first = failures.first else { return }
    first.hints += failures.dropFirst().map(\.message)
    throw first
  }
}

/// What a group's volume becomes: `30`, `+5`, `-5`, `mute`, `unmute`.
enum GroupTarget: Sendable, Hashable {
  case volume(GroupVolume.Change)
  case mute(Bool)

  init?(_ text: String) {
    switch text {
    case "mute": self = .mute(true)
    case "unmute": self = .mute(false)
    default:
      switch VolumeTarget(text) {
      case .absolute(let volume): self = .volume(.to(volume))
      case .relative(let step): self = .volume(.by(step))
      case nil: return nil
      }
    }
  }
}

/// The volumes of a group.
enum GroupVolumeReport {
  static func report(_ rooms: [Room], host: String?) -> Report {
    var table = Table(["ROOM", "VOLUME", ""], rightAligned: [1])
    for room in rooms {
      table.add([room.name, room.volume.map(String.init), room.isMuted == true ? "muted" : nil])
    }
    let json = rooms.map { room in
      JSON.members([
        "name": .string(room.name), "udn": .string(room.udn), "volume": .number(room.volume),
        "mute": .bool(room.isMuted),
      ])
    }
    return Report(
      json: .members([
        "volume": .number(GroupVolume.level(of: rooms, host: host)),
        "mute": .bool(GroupVolume.isMuted(rooms)), "rooms": .array(json),
      ]), body: .table(table))
  }
}
