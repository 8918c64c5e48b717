import ControlPoint
import Renderers

/// A room, and the way to it.
struct FoundRoom: Sendable {
  var room: Room
  var renderer: RemoteRenderer

  /// Asks a renderer that a user has named.
  init(_ renderer: Renderer) async throws {
    let remote = renderer.remote
    guard remote.isRoom else {
      throw Failure(.refused, "\(renderer.name) can neither send to other rooms nor play what they send")
    }
    self.init(
      try await renderer.control { remote throws(RendererFailure) in try await remote.room() }, remote)
  }

  init(_ room: Room, _ renderer: RemoteRenderer) {
    (self.room, self.renderer) = (room, renderer)
  }
}

/// All rooms in the network, in the order of their names.
struct FoundRooms: Sendable {
  /// How long a room may take to say everything.
  private static let patience = Duration.seconds(6)
  static let kinds: Set<DeviceKind> = [.openHomeProduct, .mediaRenderer]

  var found: [FoundRoom]
  /// Why those are missing that are there and don't answer, by their names.
  var silent: [Failure] = []

  var rooms: [Room] { found.map(\.room) }

  /// Looks for them.
  static func search(_ session: Session) async throws -> FoundRooms {
    let finder = DeviceFinder(session)
    // What was there a moment ago is waited for, if it is slow.
    let known = Set(KnownDevices.read().filter { $0.isYoung() && $0.facts.isOpenHome }.map(\.udn))
    let (chosen, seen) = try await finder.search(kinds, for: finder.time) { devices, isSettled in
      isSettled && known.isSubset(of: devices.map(\.udn)) ? devices : nil
    }
    return try await read(chosen ?? seen, session)
  }

  /// Asks the rooms among some devices.
  static func read(_ devices: [FoundDevice], _ session: Session) async throws -> FoundRooms {
    let players = PlayerFacts.grouped(devices.map { DeviceFacts($0) })
    let renderers = players.map { player in
      RemoteRenderer(
        player.devices.compactMap { facts in devices.first { $0.udn == facts.udn } },
        through: session.controlPoint)
    }.filter(\.isRoom)
    var result = FoundRooms(found: [])
    try await InParallel.each(renderers, atOnce: 16, within: patience) { renderer in
      try await renderer.room()
    } take: { renderer, answer in
      switch answer {
      case .success(let room?): result.found.append(FoundRoom(room, renderer))
      case .success(nil): result.silent.append(Failure(.call(.timeout), from: renderer.name))
      case .failure(let error as RendererFailure):
        result.silent.append(Failure(error, from: renderer.name))
      case .failure(let error): throw error
      }
    }
    result.found.sort { ($0.room.name.lowercased(), $0.room.udn) < ($1.room.name.lowercased(), $1.room.udn) }
    return result
  }

  /// The room that a user names.
  func room(_ text: String) throws -> FoundRoom {
    let query = DeviceQuery(text)
    let players = found.map { PlayerFacts(devices: $0.renderer.devices.map { DeviceFacts($0) }) }
    let chosen = query.choose(players)
    if chosen.count == 1, let index = players.firstIndex(of: chosen[0]) { return found[index] }
    throw Failure(
      .noDevice, chosen.isEmpty ? "no room \"\(text)\"" : "\"\(text)\" may be any of these; say more",
      hints: (chosen.isEmpty ? players : chosen).map(\.line).sorted())
  }

  subscript(udn: String) -> FoundRoom? { found.first { $0.room.udn == udn } }

  /// The rooms that play with `room`, the host first; it alone if it is in no group.
  func group(of room: Room) -> (host: String?, rooms: [FoundRoom]) {
    guard let group = RoomGroups.of(rooms).first(where: { $0.udns.contains(room.udn) }) else {
      return (room.udn, found.filter { $0.room.udn == room.udn })
    }
    return (group.hostRoom, group.udns.compactMap { self[$0] })
  }

  /// Tells of those that don't answer.
  func complain(_ output: Output) { for failure in silent { output.note(failure.message) } }
}

extension Failure {
  init(_ failure: RoomFailure) { self.init(.refused, failure.words) }
}
