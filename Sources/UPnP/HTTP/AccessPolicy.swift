/// Who may connect, by which names the host may be called, and where events may be sent.
struct AccessPolicy: Sendable {
  /// The interfaces that are served, with all their addresses, as they are now.
  var interfaces: [NetworkInterface] = []
  private let allow: [IPNetwork]
  /// In lower case.
  private let names: Set<String>

  /// - Parameters:
  ///   - allow: networks whose hosts may connect although they are on no link of ours.
  ///   - names: names of this host, in any case.
  init(allow: [IPNetwork] = [], names: [String] = []) {
    self.allow = allow
    self.names = Set((names + ["localhost"]).filter { !$0.isEmpty }.map { $0.lowercased() })
  }

  /// The same with the machine's own name, by itself and as multicast DNS has it, beside `hostnames`.
  init(allow: [IPNetwork], hostnames: [String]) {
    let machine = HostConfiguration.machineName()
    self.init(allow: allow, names: hostnames + (machine.isEmpty ? [] : [machine, "\(machine).local"]))
  }

  /// Why a connection from `remote` to our address `local` isn't taken; nil when it is.
  func refusal(remote: IPAddress, local: IPAddress) -> Refusal? {
    if local.isLoopback { return remote.isLoopback ? nil : .unservedAddress }
    guard interface(holding: local) != nil else { return .unservedAddress }
    return isOnLink(remote) || allow.contains { $0.contains(remote) } ? nil : .foreignAddress
  }

  /// True when `host`, as in a Host header, is one of our addresses or names, with any port or none. Whoever
  /// lures a browser here by a name of his own (DNS rebinding) can't fake that.
  func accepts(host: String) -> Bool {
    guard let authority = Authority(host) else { return false }
    if let address = IPAddress(authority.host) { return address.isLoopback || isOwn(address) }
    let name = authority.host.lowercased()
    return names.contains(name.hasSuffix(".") ? String(name.dropLast()) : name)
  }

  /// The interface that is served and has the address `local`.
  func interface(holding local: IPAddress) -> NetworkInterface? {
    interfaces.first { $0.addresses.contains { $0.address == local } }
  }

  /// True when events may be sent to `target` for a subscriber at `subscriber`, who asked at our address
  /// `local`: never to anybody who isn't on the link that the subscription came from, together with the
  /// subscriber (CVE-2020-12695, "CallStranger").
  ///
  /// A subscriber of an allowed network beyond our links can have events at its own address only.
  func mayDeliver(to target: IPAddress, subscriber: IPAddress, local: IPAddress) -> Bool {
    let target = target.unmapped
    if target.isUnspecified || target.isMulticast { return false }
    if target.isLoopback || subscriber.isLoopback {
      return target.isLoopback && subscriber.isLoopback && local.isLoopback
    }
    // Our own other services are nobody's event receivers but our own.
    if isOwn(target), !isOwn(subscriber) { return false }
    guard let interface = interface(holding: local) else { return false }
    if interface.addresses.contains(where: { $0.isBroadcast(target) }) { return false }
    let isSameLink = interface.addresses.contains { link in
      link.contains(target) && link.contains(subscriber) && !Self.isNetworkAddress(target, of: link)
    }
    return isSameLink || target == subscriber && allow.contains { $0.contains(subscriber) }
  }

  private func isOwn(_ address: IPAddress) -> Bool { interface(holding: address) != nil }

  private func isOnLink(_ address: IPAddress) -> Bool {
    interfaces.contains { $0.addresses.contains { $0.contains(address) } }
  }

  /// The all-zeros host of an IPv4 network, an old form of broadcast.
  private static func isNetworkAddress(_ address: IPAddress, of link: InterfaceAddress) -> Bool {
    !address.isIPv6 && link.prefixLength < 31 && address == link.network.base
  }
}
