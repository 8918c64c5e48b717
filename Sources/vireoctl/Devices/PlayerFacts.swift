/// A renderer as people see it. Some are two devices: one that speaks OpenHome, and one that has an AVTransport.
struct PlayerFacts: Sendable, Hashable {
  /// One or two; the one that speaks OpenHome first.
  var devices: [DeviceFacts]

  /// The room, if the renderer tells it apart: an OpenHome device is called "Room:Name".
  var name: String { devices.first { !$0.isOpenHome }?.name ?? devices.first?.name ?? "" }

  /// For a list to choose from.
  var line: String { "\(name)  \(devices.first?.address.description ?? "")  \(devices.first?.udn ?? "")" }

  /// The renderers among some devices.
  ///
  /// Two devices are one renderer if they are at the same address and port and one is called after the other, or if there
  /// are no others at that place.
  static func grouped(_ devices: [DeviceFacts]) -> [PlayerFacts] {
    let renderers = devices.filter { $0.kind == .renderer }.sorted { $0.udn < $1.udn }
    var halves = renderers.filter { !$0.isOpenHome }
    var players: [PlayerFacts] = []
    let openHome = renderers.filter(\.isOpenHome)
    for device in openHome {
      let beside = device.isAV ? [] : halves.filter { isSamePlace(device, $0) }
      let isAlone = openHome.filter { !$0.isAV && isSamePlace(device, $0) }.count == 1
      let named = beside.first { device.name == $0.name || device.name.hasPrefix("\($0.name):") }
      let half = named ?? (beside.count == 1 && isAlone ? beside[0] : nil)
      halves.removeAll { $0 == half }
      players.append(PlayerFacts(devices: [device] + (half.map { [$0] } ?? [])))
    }
    return players + halves.map { PlayerFacts(devices: [$0]) }
  }

  private static func isSamePlace(_ one: DeviceFacts, _ other: DeviceFacts) -> Bool {
    one.port == other.port && !Set(one.addresses).isDisjoint(with: other.addresses)
  }
}

extension DeviceQuery {
  /// How well a renderer fits: as well as its better half, or its room.
  func fit(_ player: PlayerFacts) -> Fit? {
    let rooms = player.devices.filter(\.isOpenHome).compactMap { device -> Fit? in
      var room = device
      room.name = String(device.name.prefix { $0 != ":" })
      return fit(room)
    }
    return (player.devices.compactMap { fit($0) } + rooms).min()
  }

  /// The renderer that fits best; several if they fit equally well.
  func choose(_ players: [PlayerFacts]) -> [PlayerFacts] {
    let fits = players.compactMap { player in fit(player).map { (player, $0) } }
    guard let best = fits.map(\.1).min() else { return [] }
    return fits.filter { $0.1 == best }.map(\.0)
  }
}
