import Network

/// Decides which peers may connect, and which host names are accepted.
package struct AccessPolicy: Sendable {
  /// The interfaces that are served now, with all their addresses.
  package var interfaces: [NetworkInterface] = []
  /// Networks whose hosts may connect although they are on none of our links.
  package let allow: [IPNetwork]
  /// This host's names, in lower case.
  private let names: Set<String>

  /// Makes a policy with exactly these names and `localhost`.
  ///
  /// - Parameters:
  ///   - allow: networks whose hosts may connect although they are on none of our links.
  ///   - names: names of this host, in upper or lower case.
  package init(allow: [IPNetwork] = [], names: [String] = []) {
    self.allow = allow
    self.names = Set((names + ["localhost"]).filter { !$0.isEmpty }.map { $0.lowercased() })
  }

  /// Makes a policy with `hostnames` and the machine's own name, plain and with `.local` (multicast DNS).
  package init(allow: [IPNetwork], hostnames: [String]) {
    let machine = SystemName.machine
    self.init(allow: allow, names: hostnames + (machine.isEmpty ? [] : [machine, "\(machine).local"]))
  }

  /// Returns the reason to refuse a connection from `peer`; nil when it is accepted.
  package func refusal(_ peer: Peer) -> RefusalReason? {
    if peer.local.isLoopback { return peer.remote.isLoopback ? nil : .unservedAddress }
    guard isOwn(peer.local, scope: peer.scope) else { return .unservedAddress }
    return isOnLink(peer) || allow.contains { $0.contains(peer.remote) } ? nil : .foreignAddress
  }

  /// True when the Host header `host` is one of our addresses or names, with or without a port.
  ///
  /// This defends against DNS rebinding, where an attacker's host name lures a browser here.
  package func accepts(host: String) -> Bool {
    guard let authority = Authority(host) else { return false }
    if let address = IPAddress(authority.host) { return address.isLoopback || holds(address) }
    let name = authority.host.lowercased()
    return names.contains(name.hasSuffix(".") ? String(name.dropLast()) : name)
  }

  /// True when a served interface has the address `local`.
  package func holds(_ local: IPAddress) -> Bool { interface(holding: local) != nil }

  private func interface(holding local: IPAddress) -> NetworkInterface? {
    interfaces.first { $0.addresses.contains { $0.address == local } }
  }

  /// Returns the served interface through which `peer` is reached.
  ///
  /// Several links may have the same link-local addresses, ours or the neighbours'; then the connection's scope
  /// decides.
  package func link(of peer: Peer) -> NetworkInterface? {
    guard let scope = peer.scope else { return interface(holding: peer.local) }
    return interfaces.first { $0.index == scope }
  }

  /// True when `address` is ours.
  ///
  /// A link-local one must be on the interface `scope`, since a neighbour there may have the same address as another of
  /// our interfaces.
  package func isOwn(_ address: IPAddress, scope: Int?) -> Bool {
    guard address.needsScope else { return holds(address) }
    return interfaces.contains { $0.index == scope && $0.addresses.contains { $0.address == address } }
  }

  private func isOnLink(_ peer: Peer) -> Bool {
    let candidates = peer.remote.needsScope ? [link(of: peer)].compactMap(\.self) : interfaces
    return candidates.contains { $0.addresses.contains { $0.contains(peer.remote) } }
  }
}
