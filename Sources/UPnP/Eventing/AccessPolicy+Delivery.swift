import HTTP
import Network

/// Where events may be sent.
extension AccessPolicy {
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

  /// True for the all-zeros host of an IPv4 network, an old form of broadcast.
  private static func isNetworkAddress(_ address: IPAddress, of link: InterfaceAddress) -> Bool {
    !address.isIPv6 && link.prefixLength < 31 && address == link.network.base
  }
}
