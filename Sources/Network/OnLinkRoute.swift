import CLinux
import Glibc

/// A route in the kernel's main table to an IPv6 network; with a ``link``, the network's hosts are neighbours there.
///
/// A router may announce a network as on-link without letting hosts form addresses in it. Addresses from DHCPv6 are
/// then lone /128 addresses, and only the route shows which hosts are neighbours.
struct OnLinkRoute: Sendable, Equatable {
  /// The shortest prefix of a link's network. A shorter one is the network of a site or a provider, however this host
  /// is configured, and its hosts aren't neighbours.
  static let shortestPrefix = 48

  var network: IPNetwork
  /// Tells apart several routes to one network.
  var metric: UInt32
  /// The interface that the network is on; nil when a router is in between.
  var link: Int?

  /// Reads the route of an RTM_NEWROUTE or RTM_DELROUTE message; nil when it can't lead to a link's network.
  init?(_ message: NetlinkMessage) {
    let payload = message.payload
    guard payload.load(0, as: UInt8.self) == UInt8(AF_INET6),
      let length = payload.load(1, as: UInt8.self).map(Int.init),
      (Self.shortestPrefix..<128).contains(length),
      payload.load(7, as: UInt8.self) == UInt8(RTN_UNICAST),
      let flags = payload.load(8, as: UInt32.self), flags & UInt32(RTM_F_CLONED) == 0
    else { return nil }
    var table = payload.load(4, as: UInt8.self).map(UInt32.init)
    var destination: IPAddress?
    metric = 0
    var hasRouter = false
    for attribute in message.payload.attributes(after: 12) {
      switch attribute.type {
      case Int(RTA_DST.rawValue): destination = IPAddress(networkBytes: attribute.value.bytes)
      case Int(RTA_OIF.rawValue): link = attribute.value.load(0, as: UInt32.self).map(Int.init)
      case Int(RTA_PRIORITY.rawValue): metric = attribute.value.load(0, as: UInt32.self) ?? metric
      case Int(RTA_TABLE.rawValue): table = attribute.value.load(0, as: UInt32.self)
      case Int(RTA_GATEWAY.rawValue), Int(RTA_VIA.rawValue), Int(RTA_MULTIPATH.rawValue): hasRouter = true
      default: break
      }
    }
    guard table == UInt32(RT_TABLE_MAIN.rawValue), let destination, destination.isIPv6 else { return nil }
    network = IPNetwork(destination, prefixLength: length)
    if hasRouter { link = nil }
  }

  /// True when `other` can't coexist with this route on the same link.
  func isSame(_ other: OnLinkRoute) -> Bool { other.network == network && other.metric == metric }
}
