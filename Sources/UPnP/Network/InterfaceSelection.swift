/// Which interfaces and addresses are served, and which of those are announced.
public struct InterfaceSelection: Sendable, Hashable {
  /// Names or patterns (`eth*`, `wlan?`); when empty, every interface that leads to a local network.
  public var names: [String]
  /// False leaves IPv6 addresses out.
  public var ipv6: Bool

  public init(names: [String] = [], ipv6: Bool = true) {
    self.names = names
    self.ipv6 = ipv6
  }

  /// Bridges and switches of virtual machines and containers: nobody with a phone is behind those.
  private static let virtualNames = [
    "docker*", "br-*", "virbr*", "lxcbr*", "lxdbr*", "cni*", "podman*", "cali*",
  ]

  /// The interfaces to serve, with all their addresses: a name of this host may resolve to any of them.
  ///
  /// Only running ones with an address; the loopback only when named.
  public func served(of interfaces: [NetworkInterface]) -> [NetworkInterface] {
    interfaces.sorted { $0.index < $1.index }.filter(accepts).compactMap { interface in
      var interface = interface
      interface.addresses.removeAll { !ipv6 && $0.address.isIPv6 }
      return interface.addresses.isEmpty ? nil : interface
    }
  }

  /// Those of the interfaces that are served, and of their addresses, that are announced.
  ///
  /// Of several addresses in one network the first counts, on one interface and across all: one network hears one
  /// announcement. Interfaces that have nothing else to offer are left out.
  public func announced(of interfaces: [NetworkInterface]) -> [NetworkInterface] {
    var networks: Set<IPNetwork> = []
    return served(of: interfaces).compactMap { interface in
      var interface = interface
      var own: Set<IPNetwork> = []
      let candidates = interface.addresses
      interface.addresses = candidates.filter { candidate in
        let network = candidate.network
        // A link-local network exists once per link; any other network is the same on every link.
        return own.insert(network).inserted
          && (candidate.address.isLinkLocal || !networks.contains(network))
      }
      let hasOnlyDuplicates =
        candidates.contains { !$0.address.isLinkLocal }
        && interface.addresses.allSatisfy(\.address.isLinkLocal)
      guard !interface.addresses.isEmpty, !hasOnlyDuplicates else { return nil }
      networks.formUnion(own)
      return interface
    }
  }

  private func accepts(_ interface: NetworkInterface) -> Bool {
    guard interface.isRunning else { return false }
    guard names.isEmpty else { return names.contains { Self.matches(interface.name, pattern: $0) } }
    return !interface.isLoopback && interface.canMulticast
      && !Self.virtualNames.contains { Self.matches(interface.name, pattern: $0) }
  }

  /// Whether `name` fits `pattern`: `*` stands for any text, `?` for any one character.
  static func matches(_ name: String, pattern: String) -> Bool {
    let name = Array(name.utf8)
    let pattern = Array(pattern.utf8)
    var (n, p) = (0, 0)
    // Where to go on when the text behind the last star turns out not to fit.
    var retry: (name: Int, pattern: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        retry = (n, p)
        p += 1
      } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") || pattern[p] == name[n] {
        n += 1
        p += 1
      } else if let last = retry {
        retry = (last.name + 1, last.pattern)
        n = last.name + 1
        p = last.pattern + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
