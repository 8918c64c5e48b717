import ControlPoint
import NIOCore
import Renderers

/// The renderers that were found, and what is known of each. Two devices may be one renderer.
struct RendererList: Sendable {
  /// A renderer, and what it said last.
  struct Player: Sendable, Hashable {
    /// The UDN of the half that was found first, in lower case. It stays for as long as that half is known: whoever has chosen
    /// the renderer means the same one when its other half is found.
    var key: String
    var devices: [FoundDevice]
    var name: String
    var isOpenHome: Bool
    var isThere: Bool

    /// The UDN that it is called by.
    var udn: String { (devices.first { FoundDevices.key($0.udn) == key } ?? devices[0]).udn }
  }

  struct Report: Sendable, Hashable {
    var status: PlayerStatus?
    var problem: String?
    /// What it said as a room of a group; nil for none, and until it was asked.
    var room: Room?
    /// The loudest volume, of a renderer whose volume isn't 0 to 100.
    var loudest: Int?
    var time: NIODeadline
  }

  private var found: FoundDevices
  private(set) var players: [Player] = []
  private(set) var reports: [String: Report] = [:]

  /// - Parameter own: the keys of this speaker's devices.
  init(except own: Set<String>) {
    found = FoundDevices { device in
      !own.contains(FoundDevices.key(device.udn))
        && (DeviceKind.openHomeProduct.matches(device) || DeviceKind.mediaRenderer.matches(device))
    }
  }

  /// The renderer that has a device of that UDN.
  subscript(udn: String) -> Player? {
    let key = FoundDevices.key(udn)
    return players.first { $0.key == key }
      ?? players.first { $0.devices.contains { FoundDevices.key($0.udn) == key } }
  }

  /// Takes what has become of a device; returns false if nothing is different.
  mutating func take(_ change: DeviceChange) -> Bool {
    guard found.take(change) else { return false }
    let entries = found.entries
    let before = Set(players.map(\.key))
    players = PlayerFacts.grouped(entries.values.map { DeviceFacts($0.device) }).compactMap { facts in
      let halves = facts.devices.compactMap { entries[FoundDevices.key($0.udn)] }
      let keys = halves.map { FoundDevices.key($0.device.udn) }
      guard let key = keys.first(where: before.contains) ?? keys.first else { return nil }
      return Player(
        key: key, devices: halves.map(\.device), name: facts.name,
        isOpenHome: facts.devices.contains(where: \.isOpenHome), isThere: halves.contains(where: \.isThere))
    }.sorted { ($0.name.lowercased(), $0.key) < ($1.name.lowercased(), $1.key) }
    let keys = Set(players.map(\.key))
    reports = reports.filter { keys.contains($0.key) }
    return true
  }

  /// Takes what a renderer says; returns false if that is nothing new.
  mutating func take(_ report: Report, of key: String) -> Bool {
    guard players.contains(where: { $0.key == key }) else { return false }
    let before = reports[key]
    reports[key] = report
    return before?.status?.withoutPosition != report.status?.withoutPosition
      || before?.problem != report.problem
  }

  /// A renderer as it is shown.
  func shown(
    _ player: Player, seen: (FoundDevice) -> Int, icon: (FoundDevice) -> String?
  ) -> API.Renderer {
    let report = reports[player.key]
    let status = report?.status
    let facts = player.devices.map { DeviceFacts($0) }
    return API.Renderer(
      udn: player.udn, name: player.name, model: facts.first?.model ?? "",
      kind: player.isOpenHome ? .openhome : .av, isSelf: false, seen: player.devices.map(seen).min() ?? 0,
      isThere: player.isThere, state: status.map { API.Renderer.State($0.state) },
      title: status?.title, artist: status?.artist,
      volume: status?.volume.map { Self.percent($0, of: report?.loudest ?? 100) }, muted: status?.isMuted,
      icon: player.devices.lazy.compactMap(icon).first,
      problem: player.isThere ? report?.problem : nil)
  }

  /// A renderer's own volume as 0 to 100.
  static func percent(_ volume: Int, of loudest: Int) -> Int {
    let loudest = max(loudest, 1)
    return (min(max(volume, 0), loudest) * 200 + loudest) / (2 * loudest)
  }

  /// 0 to 100 as a renderer's own volume.
  static func volume(_ percent: Int, of loudest: Int) -> Int { (percent * max(loudest, 1) + 50) / 100 }
}

extension API.Renderer.State {
  init(_ state: PlayerStatus.State) {
    switch state {
    case .playing: self = .playing
    case .paused: self = .paused
    case .stopped: self = .stopped
    case .buffering: self = .buffering
    }
  }
}
