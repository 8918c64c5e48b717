import CLinux
import Glibc
import NIOCore

/// A UDP socket for multicast messages and the answers to them; its creator must close it.
package struct UDPSocket: Sendable {
  package let descriptor: CInt

  /// How many ports of a range are tried before any free one is taken.
  private static let attempts = 16

  private static func open(ipv6: Bool) throws -> UDPSocket {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(ipv6 ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
    return UDPSocket(descriptor: descriptor)
  }

  /// True when another program of this host has a socket on `port`; it may then receive datagrams that are sent to one of
  /// our addresses.
  package static func isShared(port: Int, ipv6: Bool) -> Bool {
    guard let probe = try? open(ipv6: ipv6) else { return false }
    defer { probe.close() }
    do {
      if ipv6 { try probe.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
      try probe.bind(anyAddress(ipv6: ipv6).socketAddress(port: port))
      return false
    } catch {
      return (error as? IOError)?.errnoCode == EADDRINUSE
    }
  }

  /// Makes a socket that receives on `port`: what is sent to its groups, and what is sent to any address of this host.
  ///
  /// - Parameter prefix: the first four bytes of the datagrams that it receives; the kernel drops all others.
  package static func receiving(port: Int, ipv6: Bool, prefix: String) throws -> UDPSocket {
    let socket = try open(ipv6: ipv6)
    return try socket.configured {
      try socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
      try socket.set(SOL_SOCKET, SO_REUSEPORT, 1)
      if ipv6 {
        try socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
      } else {
        // Without this, the socket also hears groups that other programs join on other interfaces.
        try socket.set(Int32(IPPROTO_IP), IP_MULTICAST_ALL, 0)
      }
      socket.keepOnly(prefix)
      try socket.bind(anyAddress(ipv6: ipv6).socketAddress(port: port))
    }
  }

  /// Makes a socket that receives what is sent to `group` and `port` on one interface, and nothing else: what is sent to an
  /// address of this host still goes to the socket that had it before.
  ///
  /// With IPv6, the kernel may give it what comes on another interface.
  ///
  /// - Parameter prefix: the first four bytes of the datagrams that it receives; the kernel drops all others.
  package static func listening(
    to group: IPAddress, port: Int, interfaceIndex: Int, prefix: String
  ) throws -> UDPSocket {
    let socket = try open(ipv6: group.isIPv6)
    return try socket.configured {
      // Not SO_REUSEPORT: of two sockets for one group, each on its own interface, the kernel then gives a datagram to either.
      try socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
      if group.isIPv6 {
        try socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
      } else {
        try socket.set(Int32(IPPROTO_IP), IP_MULTICAST_ALL, 0)
      }
      socket.keepOnly(prefix)
      try socket.bind(group.socketAddress(port: port, interfaceIndex: interfaceIndex))
      try socket.join(group, interfaceIndex: interfaceIndex)
    }
  }

  /// Makes a socket that sends from `address`, and can receive what is sent to it.
  ///
  /// - Parameters:
  ///   - ttl: how many routers multicast messages may cross.
  ///   - ports: the range of its port; any free one is used when these are taken.
  ///   - prefix: the first four bytes of the datagrams that it receives; the kernel drops all others.
  package static func sending(
    from address: IPAddress, interfaceIndex: Int, ttl: Int, ports: ClosedRange<Int>, prefix: String
  ) throws -> UDPSocket {
    let socket = try open(ipv6: address.isIPv6)
    return try socket.configured {
      switch address {
      case .v4(let bits):
        let level = Int32(IPPROTO_IP)
        let interface = ip_mreqn(
          imr_multiaddr: in_addr(s_addr: 0), imr_address: in_addr(s_addr: bits.bigEndian),
          imr_ifindex: Int32(truncatingIfNeeded: interfaceIndex))
        try socket.setBytes(level, IP_MULTICAST_IF, interface)
        try socket.set(level, IP_MULTICAST_TTL, CInt(ttl))
        try socket.set(level, IP_MULTICAST_LOOP, 1)
      case .v6:
        let level = Int32(IPPROTO_IPV6)
        try socket.set(level, IPV6_V6ONLY, 1)
        try socket.set(level, IPV6_MULTICAST_IF, CInt(truncatingIfNeeded: interfaceIndex))
        try socket.set(level, IPV6_MULTICAST_HOPS, CInt(ttl))
        try socket.set(level, IPV6_MULTICAST_LOOP, 1)
      }
      socket.keepOnly(prefix)
      try socket.bind(address, interfaceIndex: interfaceIndex, ports: ports)
    }
  }

  private static func anyAddress(ipv6: Bool) -> IPAddress { ipv6 ? .v6(0, 0) : .v4(0) }

  private func configured(_ configure: () throws -> Void) throws -> UDPSocket {
    do { try configure() } catch {
      close()
      throw error
    }
    return self
  }

  /// Drops other datagrams, such as the many announcements of other devices, in the kernel, so that they don't wake the
  /// process.
  private func keepOnly(_ prefix: String) {
    guard prefix.utf8.count >= 4 else { return }
    _ = clinux_keep_datagrams_with_prefix(descriptor, prefix)
  }

  private func bind(_ address: IPAddress, interfaceIndex: Int, ports: ClosedRange<Int>) throws {
    for _ in 0..<Self.attempts {
      do {
        let port = Int.random(in: ports)
        return try bind(address.socketAddress(port: port, interfaceIndex: interfaceIndex))
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        continue
      }
    }
    try bind(address.socketAddress(port: 0, interfaceIndex: interfaceIndex))
  }

  private func bind(_ address: SocketAddress) throws {
    let result = address.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) }
    guard result == 0 else { throw IOError(errnoCode: errno, reason: "bind to \(address)") }
  }

  private func setBytes<Value: BitwiseCopyable>(_ level: CInt, _ option: CInt, _ value: Value) throws {
    let result = withUnsafeBytes(of: value) {
      setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
    }
    guard result == 0 else { throw IOError(errnoCode: errno, reason: "setsockopt(\(level), \(option))") }
  }

  private func set(_ level: CInt, _ option: CInt, _ value: CInt) throws {
    try setBytes(level, option, value)
  }

  /// Joins a multicast group on one interface; does nothing when the socket is already in it.
  package func join(_ group: IPAddress, interfaceIndex: Int) throws {
    try changeMembership(MCAST_JOIN_GROUP, group, interfaceIndex, tolerating: EADDRINUSE)
  }

  /// Leaves a group; ignores errors, since the kernel ends memberships itself when an interface is removed.
  package func leave(_ group: IPAddress, interfaceIndex: Int) {
    try? changeMembership(MCAST_LEAVE_GROUP, group, interfaceIndex, tolerating: EADDRNOTAVAIL)
  }

  private func changeMembership(
    _ option: CInt, _ group: IPAddress, _ interfaceIndex: Int, tolerating tolerated: CInt
  ) throws {
    var request = group_req()
    request.gr_interface = UInt32(truncatingIfNeeded: interfaceIndex)
    group.socketAddress(port: 0).withSockAddr { address, length in
      withUnsafeMutableBytes(of: &request.gr_group) {
        $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
      }
    }
    do {
      try setBytes(Int32(group.isIPv6 ? IPPROTO_IPV6 : IPPROTO_IP), option, request)
    } catch let error as IOError where error.errnoCode == tolerated {
      return
    }
  }

  /// Sends immediately or not at all; returns 0 or the error number.
  package func send(_ bytes: [UInt8], to address: SocketAddress) -> CInt {
    let sent = address.withSockAddr { pointer, length in
      sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, socklen_t(length))
    }
    return sent < 0 ? errno : 0
  }

  /// The port that the socket is bound to; nil when the kernel doesn't report one.
  package var port: Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
    }
    guard result == 0 else { return nil }
    // Both families have the port at the same offset.
    return withUnsafeBytes(of: &storage) {
      Int(UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  /// Returns a second descriptor for this socket.
  package func duplicate() throws -> UDPSocket {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw IOError(errnoCode: errno, reason: "fcntl(F_DUPFD_CLOEXEC)") }
    return UDPSocket(descriptor: copy)
  }

  package func close() { Glibc.close(descriptor) }
}
