/// Recognises links that lead only to containers and virtual machines of this host.
///
/// The decision uses the link's kind as the kernel reports it, not its name. The network of a home router or of a
/// virtual machine host is a bridge as well (`br-lan`, `br0`, `vmbr0`), and Docker's networks have similar names
/// (`br-0123456789ab`). An unknown link counts as a real network: one announcement too many does less harm than a
/// renderer that can't be found.
enum GuestLinks {
  /// Kinds of links that join a bridge only to connect guests: the ends of virtual cables (veth, netkit, TAP), overlay
  /// networks between hosts (VXLAN, Geneve), and dummy links. Physical cards, wireless ones included, have no kind;
  /// bonds, VLANs, switch ports and the like have other kinds.
  private static let guestKinds: Set<String> = ["veth", "netkit", "tun", "vxlan", "geneve", "dummy"]

  /// Ends of guests' virtual cables that aren't ports of a bridge, as Calico and systemd-nspawn name them.
  private static let cableNames = ["cali*", "ve-*"]

  /// Names of a container's own card: also a veth, but it leads to the outside network.
  private static let cardNames = ["eth*", "host0"]

  /// True when the link leads only to guests of this host.
  ///
  /// - Parameters:
  ///   - kind: the kernel's name for it (`bridge`, `veth`); empty for a physical card.
  ///   - ports: names and kinds of the links that are ports of this one.
  static func leadsToGuestsOnly(name: String, kind: String, ports: [(name: String, kind: String)]) -> Bool {
    switch kind {
    // A bridge without ports leads nowhere.
    case "bridge": ports.allSatisfy { isGuest(name: $0.name, kind: $0.kind) }
    case "veth": cableNames.contains { InterfaceSelection.matches(name, pattern: $0) }
    default: false
    }
  }

  private static func isGuest(name: String, kind: String) -> Bool {
    let isOwnCard = kind == "veth" && cardNames.contains { InterfaceSelection.matches(name, pattern: $0) }
    return guestKinds.contains(kind) && !isOwnCard
  }
}
