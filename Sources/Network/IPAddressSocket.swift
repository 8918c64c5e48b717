import Glibc
import NIOCore

extension IPAddress {
  /// Takes the address of a socket address, with IPv4-mapped ones unwrapped; nil for a UNIX domain socket.
  public init?(_ socketAddress: SocketAddress) {
    switch socketAddress {
    case .v4(let v4):
      self = .v4(UInt32(bigEndian: v4.address.sin_addr.s_addr))
    case .v6(let v6):
      let bytes = v6.address.sin6_addr
      self = withUnsafeBytes(of: bytes) { IPAddress(networkBytes: $0)?.unmapped } ?? .v6(0, 0)
    case .unixDomainSocket:
      return nil
    }
  }

  /// Reads an address from 4 or 16 bytes in network order; nil for any other number of bytes.
  public init?(networkBytes bytes: some Collection<UInt8>) {
    func number(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self = .v4(UInt32(truncatingIfNeeded: number(bytes)))
    case 16: self = .v6(number(bytes.prefix(8)), number(bytes.dropFirst(8)))
    default: return nil
    }
  }

  /// Takes the address of a socket address of the system, with IPv4-mapped ones unwrapped; nil for another family.
  ///
  /// - Parameter socketAddress: as long as its family says.
  package init?(socketAddress: UnsafePointer<sockaddr>) {
    switch Int32(socketAddress.pointee.sa_family) {
    case AF_INET:
      self = socketAddress.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
      }
    case AF_INET6:
      let address = socketAddress.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        $0.pointee.sin6_addr
      }
      guard let address = withUnsafeBytes(of: address, { IPAddress(networkBytes: $0)?.unmapped }) else {
        return nil
      }
      self = address
    default: return nil
    }
  }

  /// Returns a socket address for this address.
  ///
  /// - Parameters:
  ///   - port: 0…65535; other values are cut to 16 bits.
  ///   - interfaceIndex: the scope; used only for link-local and multicast IPv6 addresses, where the address alone
  ///     doesn't identify the link.
  public func socketAddress(port: Int, interfaceIndex: Int? = nil) -> SocketAddress {
    let port = in_port_t(truncatingIfNeeded: port).bigEndian
    switch self {
    case .v4(let bits):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port
      address.sin_addr.s_addr = bits.bigEndian
      return SocketAddress(address)
    case .v6(let high, let low):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port
      withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
        bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      if let interfaceIndex, isLinkLocal || isMulticast {
        address.sin6_scope_id = UInt32(truncatingIfNeeded: interfaceIndex)
      }
      return SocketAddress(address)
    }
  }
}

extension SocketAddress {
  /// The interface index of a scoped IPv6 address; nil when there is none.
  public var scopeInterfaceIndex: Int? {
    guard case .v6(let v6) = self, v6.address.sin6_scope_id != 0 else { return nil }
    return Int(v6.address.sin6_scope_id)
  }
}
