import Glibc
import NIOCore
import Network

/// Knows which addresses are of this host.
enum OwnHost {
  /// True for an address of this host, also for one of an interface that isn't served. Asks the kernel's routing table;
  /// nothing is sent.
  static func has(_ address: IPAddress) -> Bool {
    let address = address.unmapped
    if address.isLoopback || address.isUnspecified { return true }
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Whoever reaches himself does so from the same address.
    let target = address.socketAddress(port: 9)
    guard target.withSockAddr({ connect(descriptor, $0, socklen_t($1)) }) == 0 else { return false }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { pointer in
        guard let base = pointer.baseAddress, getsockname(descriptor, base, &length) == 0 else {
          return false
        }
        return IPAddress(socketAddress: base) == address
      }
    }
  }
}
