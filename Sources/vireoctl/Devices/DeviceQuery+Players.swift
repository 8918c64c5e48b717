import Renderers

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
