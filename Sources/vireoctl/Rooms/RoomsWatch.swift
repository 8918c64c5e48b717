import ControlPoint
import Renderers

/// Says every second how well the rooms of each group keep time.
struct RoomsWatch: Sendable {
  private static let interval = Duration.seconds(1)
  /// After so many intervals the rooms are asked who listens to whom.
  private static let rounds = 5

  let session: Session
  /// The room whose group is meant; nil for all groups.
  let udn: String?
  /// How often it is said; nil for until Ctrl-C.
  let count: Int?

  func run(from first: FoundRooms) async throws {
    let present = Present(first.found.flatMap(\.renderer.devices))
    let stream = await session.controlPoint.devices(FoundRooms.kinds)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await change in stream { await present.take(change) }
        // It ends when the task is cancelled.
        while !Task.isCancelled { try await Task.sleep(for: Self.interval) }
      }
      group.addTask { try await tell(first, present) }
      defer { group.cancelAll() }
      _ = try await group.next()
    }
    try Task.checkCancellation()
  }

  private func tell(_ first: FoundRooms, _ present: Present) async throws {
    let clock = ContinuousClock()
    var (rooms, round, isAlone) = (first, 0, false)
    var next = clock.now
    while count.map({ round < $0 }) ?? true {
      round += 1
      let figures = await figures(rooms)
      if figures.isEmpty, !isAlone { session.output.note("no room listens to another one") }
      isAlone = figures.isEmpty
      for each in figures { try session.output.show(each.report(session.output.style)) }
      try session.output.checkReader()
      guard round != count else { return }
      // What takes longer isn't made up for.
      next = max(next + Self.interval, clock.now)
      try await clock.sleep(until: next)
      if round % Self.rounds == 0 { rooms = try await FoundRooms.read(await present.devices, session) }
    }
  }

  private func figures(_ rooms: FoundRooms) async -> [RoomFigures] {
    let groups = RoomGroups.of(rooms.rooms).filter { group in
      udn.map { group.udns.contains($0) } ?? true
    }
    let asked = Set(groups.flatMap(\.udns)).compactMap { rooms[$0]?.renderer }
    let answers = await RemoteRenderer.each(of: asked) { renderer throws(RendererFailure) in
      try await renderer.roomReports()
    }
    var reports: [String: RoomReports] = [:]
    for (renderer, answer) in zip(asked, answers) { reports[renderer.udn] = try? answer.get() }
    return groups.flatMap { RoomFigures.of($0, rooms.rooms, reports: reports) }
  }

  /// The devices that are there.
  private actor Present {
    private var byUDN: [String: FoundDevice]

    init(_ devices: [FoundDevice]) {
      byUDN = Dictionary(devices.map { ($0.udn, $0) }) { first, _ in first }
    }

    var devices: [FoundDevice] { Array(byUDN.values) }

    func take(_ change: DeviceChange) {
      switch change {
      case .appeared(let device), .updated(let device), .restarted(let device): byUDN[device.udn] = device
      case .expired(let device), .left(let device): byUDN[device.udn] = nil
      }
    }
  }
}
