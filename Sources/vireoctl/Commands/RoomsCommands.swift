import ArgumentParser
import ControlPoint
import Renderers

struct RoomsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rooms", abstract: "Shows which rooms play together, and puts them together.",
    discussion: """
      A room plays what another one sends if both speak Songcast (OpenHome Sender and Receiver). A room is named as any \
      renderer is.
      """,
    subcommands: [
      RoomsListCommand.self, RoomsJoinCommand.self, RoomsLeaveCommand.self, RoomsVolumeCommand.self,
      RoomsWatchCommand.self,
    ], defaultSubcommand: RoomsListCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct RoomsListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the rooms, each below the one that it listens to.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let rooms = try await FoundRooms.search(session)
    rooms.complain(session.output)
    return RoomList.report(rooms.rooms)
  }
}

struct RoomsJoinCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Lets rooms play what another one plays.",
    discussion: "If the host listens to another room, they listen to that one, too.")
  @Argument(help: "The room that plays.") var host: String
  @Argument(help: "The rooms that listen to it.") var rooms: [String]
  @Flag(help: "Let the host play then.") var play = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let finder = DeviceFinder(session)
    let host = try await FoundRoom(finder.renderer(host))
    var members: [FoundRoom] = []
    for text in rooms {
      let member = try await FoundRoom(finder.renderer(text))
      if !members.contains(where: { $0.room.udn == member.room.udn }) { members.append(member) }
    }
    var known = [host.room] + members.map(\.room)
    // Whom the host listens to may be any other room.
    if host.room.isListening {
      let others = try await FoundRooms.search(session).rooms
      known += others.filter { other in !known.contains { $0.udn == other.udn } }
    }
    // All are checked before any is changed.
    var senders: [String: RoomSender] = [:]
    for member in members.map(\.room) {
      do throws(RoomFailure) {
        let sender = try RoomJoining.sender(for: member, of: host.room, among: known)
        if RoomJoining.isNeeded(sender, for: member) { senders[member.udn] = sender }
      } catch { throw Failure(error) }
    }
    try await RoomCalls.all(members.filter { senders[$0.room.udn] != nil }) {
      [senders] renderer throws(RendererFailure) in
      if let sender = senders[renderer.udn] { try await renderer.listen(to: sender) }
    }
    // After the members: a host that begins waits for those that are joining.
    if play {
      try await RoomCalls.all([host]) { host throws(RendererFailure) in try await host.perform(.play) }
    }
    return .lines(
      [],
      json: .members([
        "host": .string(host.room.name), "members": .array(members.map { .string($0.room.name) }),
      ]))
  }
}

struct RoomsLeaveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Takes rooms out of their groups.")
  @Argument(help: "The rooms that listen to another one.") var rooms: [String]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let finder = DeviceFinder(session)
    var leaving: [FoundRoom] = []
    var known: [Room] = []
    for text in rooms {
      let member = try await FoundRoom(finder.renderer(text))
      // Who listens to it is asked only if it is no listener itself.
      if !member.room.isReceiverActive, known.isEmpty {
        known = try await FoundRooms.search(session).rooms
      }
      do throws(RoomFailure) {
        guard try RoomJoining.mayLeave(member.room, among: known) else {
          session.output.note("\(member.room.name) listens to nobody")
          continue
        }
      } catch {
        var failure = Failure(error)
        if case .isHost(_, let members) = error {
          failure.hints = ["vireoctl rooms leave \(members.map { "\"\($0)\"" }.joined(separator: " "))"]
        }
        throw failure
      }
      if !leaving.contains(where: { $0.room.udn == member.room.udn }) { leaving.append(member) }
    }
    try await RoomCalls.all(leaving) { renderer throws(RendererFailure) in try await renderer.stopListening()
    }
    return .lines([], json: .members(["left": .array(leaving.map { .string($0.room.name) })]))
  }
}

struct RoomsVolumeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "volume",
    abstract: "Prints the volumes of a group, or moves them: 30, +5, -5, mute, unmute.",
    discussion: """
      All rooms are moved by the same steps, each as far as it goes. 30 is what the room that plays gets.
      """, aliases: ["vol"])
  @Argument(help: "A room of the group.") var room: String
  @Argument(help: "The volume, its change, mute or unmute.") var volume: String?
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let volume, GroupTarget(volume) == nil {
      throw ValidationError("a volume is 30, +5, -5, mute or unmute, not \"\(volume)\"")
    }
  }

  func perform(_ session: Session) async throws -> Report? {
    let rooms = try await FoundRooms.search(session)
    rooms.complain(session.output)
    let (host, members) = rooms.group(of: try rooms.room(room).room)
    switch volume.flatMap({ GroupTarget($0) }) {
    case nil: return GroupVolumeReport.report(members.map(\.room), host: host)
    case .mute(let isMuted):
      try await RoomCalls.all(members.filter { $0.room.volume != nil }) { renderer throws(RendererFailure) in
        try await renderer.setMuted(isMuted)
      }
      return .lines(
        [], json: .members(["mute": .bool(isMuted), "rooms": .array(members.map { .string($0.room.name) })]))
    case .volume(let change):
      return try await move(members, change, host: host)
    }
  }

  private func move(_ members: [FoundRoom], _ change: GroupVolume.Change, host: String?) async throws
    -> Report
  {
    if case .to(let volume) = change, let room = members.first(where: { $0.room.udn == host })?.room,
      let loudest = room.volumeLimit, volume > loudest
    {
      throw Failure(.usage, "there is no volume \(volume): the loudest at \(room.name) is \(loudest)")
    }
    let levels = GroupVolume.plan(change, rooms: members.map(\.room), host: host)
    guard !levels.isEmpty else { throw Failure(.refused, "none of these rooms has a volume") }
    let wanted = Dictionary(levels.map { ($0.udn, $0) }) { first, _ in first }
    let moved = members.filter { member in wanted[member.room.udn].map { $0.volume != $0.before } ?? false }
    try await RoomCalls.all(moved) { renderer throws(RendererFailure) in
      if let level = wanted[renderer.udn] { try await renderer.setVolume(level.volume) }
    }
    let rooms = members.map(\.room).map { room in
      var room = room
      room.volume = wanted[room.udn]?.volume
      return room
    }
    var report = GroupVolumeReport.report(rooms, host: host)
    report.body = .lines([], plain: [])
    return report
  }
}

struct RoomsWatchCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Says every second how well the rooms of a group keep time.",
    discussion: "Only Vireos say it. It goes on until Ctrl-C.")
  @Argument(help: "A room of the group; all groups without it.") var room: String?
  @Option(help: "Say it so many times.") var count: Int?
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count is at least 1") }
  }

  func perform(_ session: Session) async throws -> Report? {
    let rooms = try await FoundRooms.search(session)
    let udn = try room.map { try rooms.room($0).room.udn }
    try await RoomsWatch(session: session, udn: udn, count: count).run(from: rooms)
    return nil
  }
}
