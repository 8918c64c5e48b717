import CLinux
import Glibc

/// The links and addresses of this host, kept up to date from the kernel's rtnetlink messages.
///
/// A value without a socket: ``begin()`` returns the first request, and ``apply(_:)`` takes each reply and returns the
/// next request.
struct InterfaceTable: Sendable, Equatable {
  struct Step: Equatable {
    /// A request to send to the kernel.
    var request: [UInt8]?
    /// True when ``interfaces`` is complete and may have changed.
    var isChanged = false
    /// The error number with which the kernel refused a request.
    var failure: Int32?
  }

  private enum Phase: Equatable { case links, addresses, routes, following }

  private struct Link: Equatable {
    var name: String
    var flags: UInt32
    /// `bridge`, `veth`; empty for a physical card.
    var kind = ""
    /// Index of the bridge or bond that this link belongs to; 0 for none.
    var master = 0
    var addresses: [Address] = []
    var routes: [OnLinkRoute] = []

    func has(_ flag: net_device_flags) -> Bool { flags & flag.rawValue != 0 }
  }

  private struct Address: Equatable {
    var value: InterfaceAddress
    var isUsable: Bool
    /// A privacy address, which is soon replaced.
    var isTemporary: Bool
  }

  /// The most addresses tracked per interface; further ones are ignored.
  static let maximumAddresses = 64
  static let maximumLinks = 1024
  static let maximumRoutes = 64
  private static let maximumRepetitions = 3

  private var links: [Int: Link] = [:]
  private var phase = Phase.links
  private var sequence: UInt32 = 0
  private var isInterrupted = false
  private var repetitions = 0

  init() {}

  /// Clears the table and returns the first request.
  mutating func begin() -> [UInt8] {
    repetitions = 0
    return restart()
  }

  private mutating func restart() -> [UInt8] {
    links = [:]
    phase = .links
    isInterrupted = false
    sequence &+= 1
    return NetlinkMessage.dumpRequest(type: RTM_GETLINK, sequence: sequence)
  }

  /// Applies one datagram from the kernel; malformed and unknown messages are skipped.
  mutating func apply(_ datagram: UnsafeRawBufferPointer) -> Step {
    var step = Step()
    for message in NetlinkMessage.messages(in: datagram) {
      let isOurDump = phase != .following && message.sequence == sequence
      if isOurDump, message.flags & Int(NLM_F_DUMP_INTR) != 0 { isInterrupted = true }
      switch message.type {
      case Int(NLMSG_DONE) where isOurDump:
        finishDump(&step)
      // A kernel without IPv6 refuses this request; it has no routes to list.
      case Int(NLMSG_ERROR) where isOurDump && phase == .routes:
        finishDump(&step)
      case Int(NLMSG_ERROR) where isOurDump:
        if let code = message.payload.load(0, as: Int32.self), (-0xffff..<0).contains(code) {
          step.failure = -code
        }
      case RTM_NEWLINK, RTM_DELLINK:
        if applyLink(message), phase == .following { step.isChanged = true }
      case RTM_NEWADDR, RTM_DELADDR:
        if applyAddress(message), phase == .following { step.isChanged = true }
      case RTM_NEWROUTE, RTM_DELROUTE:
        if applyRoute(message), phase == .following { step.isChanged = true }
      default: break
      }
    }
    return step
  }

  private mutating func finishDump(_ step: inout Step) {
    if isInterrupted, repetitions < Self.maximumRepetitions {
      // Something changed while the kernel was listing, so the list is incomplete.
      repetitions += 1
      step.request = restart()
      return
    }
    switch phase {
    case .links:
      phase = .addresses
      sequence &+= 1
      step.request = NetlinkMessage.dumpRequest(type: RTM_GETADDR, sequence: sequence)
    case .addresses:
      phase = .routes
      sequence &+= 1
      step.request = NetlinkMessage.dumpRequest(type: RTM_GETROUTE, family: AF_INET6, sequence: sequence)
    case .routes:
      phase = .following
      step.isChanged = true
    case .following: break
    }
  }

  /// Returns true when something changed.
  private mutating func applyLink(_ message: NetlinkMessage) -> Bool {
    // A bridge reports its ports in messages of its own family, which aren't about the link itself.
    guard message.payload.load(0, as: UInt8.self) == UInt8(AF_UNSPEC),
      let index = message.payload.load(4, as: Int32.self).map(Int.init), index > 0,
      let flags = message.payload.load(8, as: UInt32.self)
    else { return false }
    guard message.type == RTM_NEWLINK else { return links.removeValue(forKey: index) != nil }
    var link = links[index] ?? Link(name: "", flags: 0)
    link.flags = flags
    link.master = 0
    for attribute in message.payload.attributes(after: 16) {
      switch attribute.type {
      case IFLA_IFNAME: link.name = String(decoding: attribute.value.bytes.prefix { $0 != 0 }, as: UTF8.self)
      case IFLA_MASTER: link.master = attribute.value.load(0, as: UInt32.self).map(Int.init) ?? 0
      case IFLA_LINKINFO:
        for detail in attribute.value.attributes() where detail.type == IFLA_INFO_KIND {
          link.kind = String(decoding: detail.value.bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
      // Wireless extensions report scans and access points in messages that contain only the link's name and flags, so
      // a missing master doesn't mean that there is none. Nothing is lost, since a real change to the link is also
      // reported in full.
      case IFLA_WIRELESS: return false
      default: break
      }
    }
    // Routes disappear with the link, but not every kernel is configured to report that.
    if !link.has(IFF_UP) { link.routes = [] }
    guard link != links[index], links[index] != nil || links.count < Self.maximumLinks else { return false }
    links[index] = link
    return true
  }

  private mutating func applyAddress(_ message: NetlinkMessage) -> Bool {
    guard let family = message.payload.load(0, as: UInt8.self),
      let prefixLength = message.payload.load(1, as: UInt8.self),
      var flags = message.payload.load(2, as: UInt8.self).map(UInt32.init),
      let index = message.payload.load(4, as: Int32.self).map(Int.init), let link = links[index]
    else { return false }
    var local: IPAddress?
    var peer: IPAddress?
    for attribute in message.payload.attributes(after: 8) {
      switch attribute.type {
      case IFA_LOCAL: local = IPAddress(networkBytes: attribute.value.bytes)
      case IFA_ADDRESS: peer = IPAddress(networkBytes: attribute.value.bytes)
      case IFA_FLAGS: flags = attribute.value.load(0, as: UInt32.self) ?? flags
      default: break
      }
    }
    // On a point-to-point link, IFA_ADDRESS is the address of the other end.
    guard let address = local ?? peer, Int(prefixLength) <= address.bitWidth,
      address.isIPv6 == (Int32(family) == AF_INET6)
    else { return false }
    let value = InterfaceAddress(address: address, prefixLength: Int(prefixLength))
    var addresses = link.addresses
    let position = addresses.firstIndex { $0.value == value }
    if message.type == RTM_DELADDR {
      guard let position else { return false }
      addresses.remove(at: position)
    } else {
      let entry = Self.entry(value, flags: flags)
      if let position {
        addresses[position] = entry
      } else if addresses.count < Self.maximumAddresses {
        addresses.append(entry)
      }
    }
    guard addresses != link.addresses else { return false }
    links[index]?.addresses = addresses
    return true
  }

  /// Returns true when something changed.
  private mutating func applyRoute(_ message: NetlinkMessage) -> Bool {
    guard let route = OnLinkRoute(message) else { return false }
    var isChanged = false
    // A route that replaces another may lead elsewhere now: to another link, or through a router.
    if message.type == RTM_DELROUTE || message.flags & Int(NLM_F_REPLACE) != 0 {
      for index in links.keys where message.type == RTM_NEWROUTE || index == route.link {
        guard let position = links[index]?.routes.firstIndex(where: route.isSame) else { continue }
        links[index]?.routes.remove(at: position)
        isChanged = true
      }
    }
    guard message.type == RTM_NEWROUTE, let index = route.link, let link = links[index],
      link.routes.count < Self.maximumRoutes, !link.routes.contains(where: route.isSame)
    else { return isChanged }
    links[index]?.routes.append(route)
    return true
  }

  private static func entry(_ value: InterfaceAddress, flags: UInt32) -> Address {
    guard value.address.isIPv6 else { return Address(value: value, isUsable: true, isTemporary: false) }
    // A tentative address can't send until duplicate address detection is done; a deprecated one is being phased out.
    // An optimistic one is tentative, but already usable.
    let isTentative = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
    let isDead = flags & UInt32(IFA_F_DADFAILED | IFA_F_DEPRECATED) != 0
    return Address(
      value: value, isUsable: !isTentative && !isDead, isTemporary: flags & UInt32(IFA_F_TEMPORARY) != 0)
  }

  /// All interfaces in the order of their indices, with the addresses that are usable now: permanent ones before
  /// temporary ones.
  var interfaces: [NetworkInterface] {
    guard phase == .following else { return [] }
    let ports = Dictionary(grouping: links.values.filter { $0.master != 0 }, by: \.master)
    return links.sorted { $0.key < $1.key }.map { index, link in
      // Traffic on a bridge port belongs to the bridge, so the port's own link-local address is useless.
      let usable = link.addresses.filter {
        $0.isUsable && !(link.master != 0 && $0.value.address.needsScope)
      }
      return NetworkInterface(
        index: index, name: link.name,
        addresses: (usable.filter { !$0.isTemporary } + usable.filter(\.isTemporary)).map {
          Self.onLink($0.value, link)
        },
        isRunning: link.has(IFF_UP) && link.has(IFF_RUNNING), isLoopback: link.has(IFF_LOOPBACK),
        canMulticast: link.has(IFF_MULTICAST),
        leadsToGuestsOnly: GuestLinks.leadsToGuestsOnly(
          name: link.name, kind: link.kind, ports: ports[index, default: []].map { ($0.name, $0.kind) }))
    }
  }

  /// Returns a lone /128 address, as DHCPv6 assigns it, with the prefix length of the on-link route that contains it.
  private static func onLink(_ own: InterfaceAddress, _ link: Link) -> InterfaceAddress {
    guard own.address.isIPv6, own.prefixLength == own.address.bitWidth, !link.has(IFF_POINTOPOINT) else {
      return own
    }
    let networks = link.routes.map(\.network).filter { $0.contains(own.address) }
    let length = networks.map(\.prefixLength).max()
    return InterfaceAddress(address: own.address, prefixLength: length ?? own.prefixLength)
  }
}
