import Network
import Renderers

/// Which renderer is meant when nobody says so: the one on this machine, or the only one.
enum DefaultRenderer {
  /// Nil if none or several may be meant.
  ///
  /// - Parameter own: the addresses of this machine.
  static func choose(_ players: [PlayerFacts], own: Set<IPAddress>) -> PlayerFacts? {
    let here = players.filter { player in
      player.devices.contains { $0.addresses.contains { $0.isLoopback || own.contains($0.unmapped) } }
    }
    if here.count == 1 { return here[0] }
    return players.count == 1 ? players[0] : nil
  }
}
