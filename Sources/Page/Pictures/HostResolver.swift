import Glibc
import Network
import Threads

/// Looks up the addresses of host names, on a thread of its own, since that may block. The thread starts with the first name.
final class HostResolver: Sendable {
  private let thread = JobThread(name: "names")

  /// Calls `found` on the thread.
  func lookUp(_ host: String, _ found: @escaping @Sendable ([IPAddress]) -> Void) {
    thread.perform { found(Self.addresses(of: host)) }
  }

  private static func addresses(of host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var addresses: [IPAddress] = []
    var entry = first
    while let current = entry, addresses.count < 8 {
      if let address = IPAddress(socketAddress: current.pointee.ai_addr),
        !addresses.contains(address)
      {
        addresses.append(address)
      }
      entry = current.pointee.ai_next
    }
    return addresses
  }
}
