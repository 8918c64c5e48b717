import Network

/// Decides which peers may connect, which host names are accepted, and where events may be sent.
struct AccessPolicy: Sendable {
  /// The interfaces that are served now, with all their addresses.
  var interfaces: [NetworkInterface] = []
  private let allow: [IPNetwork]
  /// This host's names, in lower case.
  private let names: Set<String>

  /// Makes a policy with exactly these names and `localhost`.
  ///
  /// - Parameters:
  ///   - allow: networks whose hosts may connect although they are on none of our links.
  ///   - names: names of this host, in upper or lower case.
  init(allow: [IPNetwork] = [], names: [String] = []) {
    self.allow = allow
    self.names = Set((names + ["localhost"]).filter { !$0.isEmpty }.map { $0.lowercased() })
  }

  /// Makes a policy with `hostnames` and the machine's own name, plain and with `.local` (multicast DNS).
  init(allow: [IPNetwork], hostnames: [String]) {
    let machine = HostConfiguration.machineName()
    self.init(allow: allow, names: hostnames + (machine.isEmpty ? [] : [machine, "\(machine).local"]))
  }

  /// Returns the reason to refuse a connection from `peer`; nil when it is accepted.
  func refusal(_ peer: Peer) -> RefusalReason? {
    if peer.local.isLoopback { return peer.remote.isLoopback ? nil : .unservedAddress }
    guard isOwn(peer.local, scope: peer.scope) else { return .unservedAddress }
    return isOnLink(peer) || allow.contains { $0.contains(peer.remote) } ? nil : .foreignAddress
  }

  /// True when the Host header `host` is one of our addresses or names, with or without a port.
  ///
  /// This defends against DNS rebinding, where an attacker's host name lures a browser here.
  func accepts(host: String) -> Bool {
    guard let authority = Authority(host) else { return false }
    if let address = IPAddress(authority.host) { return address.isLoopback || holds(address) }
    let name = authority.host.lowercased()
    return names.contains(name.hasSuffix(".") ? String(name.dropLast()) : name)
  }

  /// True when a served interface has the address `local`.
  func holds(_ local: IPAddress) -> Bool { interface(holding: local) != nil }

  private func interface(holding local: IPAddress) -> NetworkInterface? {
    interfaces.first { $0.addresses.contains { $0.address == local } }
  }

  /// Returns the served interface through which `peer` is reached.
  ///
  /// Several links may have the same link-local addresses, ours or the neighbours'; then the connection's scope
  /// decides.
  func link(of peer: Peer) -> NetworkInterface? {
    guard let scope = peer.scope else { return interface(holding: peer.local) }
    return interfaces.first { $0.index == scope }
  }

  /// True when events for `subscriber` may be sent to `target`.
  ///
  /// The target must be on the link that the subscription came from, like the subscriber itself (CVE-2020-12695,
  /// "CallStranger"). A subscriber in an allowed network beyond our links may only receive events at its own address.
  func mayDeliver(to target: IPAddress, subscriber: Peer) -> Bool {
    let (target, remote) = (target.unmapped, subscriber.remote)
    if target.isUnspecified || target.isMulticast { return false }
    if target.isLoopback || remote.isLoopback {
      return target.isLoopback && remote.isLoopback && subscriber.local.isLoopback
    }
    guard let interface = link(of: subscriber) else { return false }
    // Only a subscriber on this host may have events sent to this host, or others could reach its other services.
    if isOwn(target, scope: interface.index), !isOwn(remote, scope: interface.index) { return false }
    if interface.addresses.contains(where: { $0.isBroadcast(target) }) { return false }
    let isSameLink = interface.addresses.contains { link in
      link.contains(target) && link.contains(remote) && !Self.isNetworkAddress(target, of: link)
    }
    return isSameLink || target == remote && allow.contains { $0.contains(remote) }
  }

  /// True when `address` is ours.
  ///
  /// A link-local one must be on the interface `scope`, since a neighbour there may have the same address as another of
  /// our interfaces.
  private func isOwn(_ address: IPAddress, scope: Int?) -> Bool {
    guard address.needsScope else { return holds(address) }
    return interfaces.contains { $0.index == scope && $0.addresses.contains { $0.address == address } }
  }

  private func isOnLink(_ peer: Peer) -> Bool {
    let candidates = peer.remote.needsScope ? [link(of: peer)].compactMap(\.self) : interfaces
    return candidates.contains { $0.addresses.contains { $0.contains(peer.remote) } }
  }

  /// True for the all-zeros host of an IPv4 network, an old form of broadcast.
  private static func isNetworkAddress(_ address: IPAddress, of link: InterfaceAddress) -> Bool {
    !address.isIPv6 && link.prefixLength < 31 && address == link.network.base
  }
}
