import CLinux
import Glibc

/// The links and addresses of this host, kept in step with what the kernel tells over rtnetlink.
///
/// A value without a socket: ``begin()`` gives the first request, ``apply(_:)`` takes what comes back and says
/// what to send next.
struct InterfaceTable: Sendable, Equatable {
  struct Step: Equatable {
    /// To be sent to the kernel.
    var request: [UInt8]?
    /// True when ``interfaces`` are complete and may have changed.
    var isChanged = false
    /// The kernel refused a request with this error number.
    var failure: Int32?
  }

  private enum Phase: Equatable { case links, addresses, following }

  private struct Link: Equatable {
    var name: String
    var flags: UInt32
    /// Port of a bridge, or part of a bond.
    var hasMaster = false
    var addresses: [Address] = []
  }

  private struct Address: Equatable {
    var value: InterfaceAddress
    var isUsable: Bool
    /// Made up for privacy and soon given up.
    var isTemporary: Bool
  }

  /// An interface holds no more addresses than this; further ones aren't looked at.
  static let maximumAddresses = 64
  static let maximumLinks = 1024
  private static let maximumRepetitions = 3

  private var links: [Int: Link] = [:]
  private var phase = Phase.links
  private var sequence: UInt32 = 0
  private var isInterrupted = false
  private var repetitions = 0

  init() {}

  /// Forgets everything and asks anew.
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

  /// Takes in one datagram of the kernel. What is malformed or unknown is skipped.
  mutating func apply(_ datagram: UnsafeRawBufferPointer) -> Step {
    var step = Step()
    for message in NetlinkMessage.messages(in: datagram) {
      let isOurDump = phase != .following && message.sequence == sequence
      if isOurDump, message.flags & Int(NLM_F_DUMP_INTR) != 0 { isInterrupted = true }
      switch message.type {
      case Int(NLMSG_DONE) where isOurDump:
        finishDump(&step)
      case Int(NLMSG_ERROR) where isOurDump:
        if let code = message.payload.load(0, as: Int32.self), (-0xffff..<0).contains(code) {
          step.failure = -code
        }
      case RTM_NEWLINK, RTM_DELLINK:
        if applyLink(message), phase == .following { step.isChanged = true }
      case RTM_NEWADDR, RTM_DELADDR:
        if applyAddress(message), phase == .following { step.isChanged = true }
      default: break
      }
    }
    return step
  }

  private mutating func finishDump(_ step: inout Step) {
    if isInterrupted, repetitions < Self.maximumRepetitions {
      // Something changed while the kernel was listing: the list has holes.
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
      phase = .following
      step.isChanged = true
    case .following: break
    }
  }

  /// True when something changed.
  private mutating func applyLink(_ message: NetlinkMessage) -> Bool {
    // A bridge tells about its ports with messages of its own family: those aren't about the link itself.
    guard message.payload.load(0, as: UInt8.self) == UInt8(AF_UNSPEC),
      let index = message.payload.load(4, as: Int32.self).map(Int.init), index > 0,
      let flags = message.payload.load(8, as: UInt32.self)
    else { return false }
    guard message.type == RTM_NEWLINK else { return links.removeValue(forKey: index) != nil }
    var link = links[index] ?? Link(name: "", flags: 0)
    link.flags = flags
    link.hasMaster = false
    for attribute in message.attributes(after: 16) {
      switch attribute.type {
      case IFLA_IFNAME: link.name = String(decoding: attribute.value.bytes.prefix { $0 != 0 }, as: UTF8.self)
      case IFLA_MASTER: link.hasMaster = attribute.value.load(0, as: UInt32.self) != 0
      // Wireless extensions tell of scans and of access points in messages that hold nothing of the link but its name
      // and flags: that such a one names no master doesn't mean that there is none. Nothing is missed, since whatever
      // changes the link is told in full as well.
      case IFLA_WIRELESS: return false
      default: break
      }
    }
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
    for attribute in message.attributes(after: 8) {
      switch attribute.type {
      case IFA_LOCAL: local = IPAddress(networkBytes: attribute.value.bytes)
      case IFA_ADDRESS: peer = IPAddress(networkBytes: attribute.value.bytes)
      case IFA_FLAGS: flags = attribute.value.load(0, as: UInt32.self) ?? flags
      default: break
      }
    }
    // On a point-to-point link IFA_ADDRESS is the other end's.
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

  private static func entry(_ value: InterfaceAddress, flags: UInt32) -> Address {
    guard value.address.isIPv6 else { return Address(value: value, isUsable: true, isTemporary: false) }
    // Until duplicate address detection is through nothing can be sent from a tentative address; a deprecated
    // one is on its way out. An optimistic one is tentative, but already in use.
    let isTentative = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
    let isDead = flags & UInt32(IFA_F_DADFAILED | IFA_F_DEPRECATED) != 0
    return Address(
      value: value, isUsable: !isTentative && !isDead, isTemporary: flags & UInt32(IFA_F_TEMPORARY) != 0)
  }

  /// All interfaces in the order of their indices, with the addresses that can be used now: lasting ones before
  /// temporary ones.
  var interfaces: [NetworkInterface] {
    guard phase == .following else { return [] }
    return links.sorted { $0.key < $1.key }.map { index, link in
      let has = { (flag: net_device_flags) in link.flags & flag.rawValue != 0 }
      // What is heard on a bridge's port is the bridge's; the port's own link-local address means nothing.
      let usable = link.addresses.filter {
        $0.isUsable && !(link.hasMaster && $0.value.address.isIPv6 && $0.value.address.isLinkLocal)
      }
      return NetworkInterface(
        index: index, name: link.name,
        addresses: (usable.filter { !$0.isTemporary } + usable.filter(\.isTemporary)).map(\.value),
        isRunning: has(IFF_UP) && has(IFF_RUNNING), isLoopback: has(IFF_LOOPBACK),
        canMulticast: has(IFF_MULTICAST))
    }
  }
}
