/// Selects the interfaces and addresses to serve, and the subset to announce.
public struct InterfaceSelection: Sendable, Hashable {
  /// Names or patterns (`eth*`, `wlan?`); if empty, every interface that leads to a local network.
  public var names: [String]
  /// False excludes IPv6 addresses.
  public var ipv6: Bool

  public init(names: [String] = [], ipv6: Bool = true) {
    self.names = names
    self.ipv6 = ipv6
  }

  /// Returns the interfaces to serve, with all their addresses, since a name of this host may resolve to any of them.
  ///
  /// Only running interfaces with an address count, and the loopback only if it is named.
  public func served(of interfaces: [NetworkInterface]) -> [NetworkInterface] {
    interfaces.sorted { $0.index < $1.index }.filter(accepts).compactMap { interface in
      var interface = interface
      interface.addresses.removeAll { !ipv6 && $0.address.isIPv6 }
      return interface.addresses.isEmpty ? nil : interface
    }
  }

  /// Returns the interfaces to announce, each with the addresses to announce.
  ///
  /// It is a subset of what is served. Of several addresses in one network only the first counts, on one interface and
  /// across all, so each network gets one announcement. An interface whose addresses are all announced elsewhere, except
  /// for a link-local one, is left out.
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

  /// Returns the interfaces that are served only if they are named.
  ///
  /// They are running and have an address, but only containers and virtual machines of this host are behind them.
  public func leftOut(of interfaces: [NetworkInterface]) -> [NetworkInterface] {
    var all = interfaces
    for index in all.indices { all[index].leadsToGuestsOnly = false }
    let served = Set(served(of: interfaces).map(\.index))
    return self.served(of: all).filter { !served.contains($0.index) }
  }

  /// True if one of the names or patterns is that of `interface`.
  public func isNamed(_ interface: String) -> Bool {
    names.contains { Self.matches(interface, pattern: $0) }
  }

  private func accepts(_ interface: NetworkInterface) -> Bool {
    guard interface.isRunning else { return false }
    guard names.isEmpty else { return isNamed(interface.name) }
    return !interface.isLoopback && interface.canMulticast && !interface.leadsToGuestsOnly
  }

  /// Whether `name` matches `pattern`: `*` stands for any characters, `?` for exactly one.
  static func matches(_ name: String, pattern: String) -> Bool {
    let name = Array(name.utf8)
    let pattern = Array(pattern.utf8)
    var (n, p) = (0, 0)
    // Where to resume when the part after the last star doesn't match.
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
