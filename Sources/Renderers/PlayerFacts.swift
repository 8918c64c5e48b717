/// A renderer as people see it. Some are two devices: one that speaks OpenHome, and one that has an AVTransport.
package struct PlayerFacts: Sendable, Hashable {
  /// One or two; the one that speaks OpenHome first.
  package var devices: [DeviceFacts]

  package init(devices: [DeviceFacts]) { self.devices = devices }

  /// The room, if the renderer tells it apart: an OpenHome device is called "Room:Name".
  package var name: String { devices.first { !$0.isOpenHome }?.name ?? devices.first?.name ?? "" }

  /// For a list to choose from.
  package var line: String {
    "\(name)  \(devices.first?.address.description ?? "")  \(devices.first?.udn ?? "")"
  }

  /// The renderers among some devices.
  ///
  /// Two devices are one renderer if they are at the same address and port and one is called after the other, or if there
  /// are no others at that place.
  package static func grouped(_ devices: [DeviceFacts]) -> [PlayerFacts] {
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
