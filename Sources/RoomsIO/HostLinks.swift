import Glibc
import Rooms

/// This host's IPv4 addresses and networks.
public enum HostLinks {
  /// Those that are up now, without the loopback interface.
  public static var current: [IPv4Link] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var links: [IPv4Link] = []
    var next = list
    while let entry = next {
      next = entry.pointee.ifa_next
      guard entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
        entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        let address = number(entry.pointee.ifa_addr), let mask = number(entry.pointee.ifa_netmask)
      else { continue }
      links.append(IPv4Link(address: address, prefix: mask.nonzeroBitCount))
    }
    return links
  }

  private static func number(_ address: UnsafeMutablePointer<sockaddr>?) -> UInt32? {
    guard let address, address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
    return UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr.bigEndian
  }
}
