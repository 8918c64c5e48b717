import NIOCore
import Network

/// A socket that receives searches; `id` is never reused.
struct SearchListener: Sendable, Hashable {
  var id: Int
  /// The interface of a socket that is bound to one address; nil when the kernel reports it with each datagram.
  var interfaceIndex: Int?
}

/// The sockets of discovery, adjusted to the endpoints.
///
/// There is one per address family to receive searches, and one per own address to send from.
struct DiscoverySockets {
  /// Starts to read a socket; the channel takes ownership of it.
  typealias Opener = (_ socket: UDPSocket, _ listener: SearchListener) -> EventLoopFuture<any Channel>

  /// An operation that failed, and why.
  struct Failure: Hashable {
    var what: String
    var why: String
  }

  private struct Source: Hashable {
    var interfaceIndex: Int
    var address: IPAddress
  }

  private struct Membership: Hashable {
    var group: SSDPGroup
    var interfaceIndex: Int
  }

  private struct Reading {
    var listener: SearchListener
    var channel: EventLoopFuture<any Channel>
  }

  private struct Receiver {
    /// For joining and leaving groups; the channel reads a duplicate descriptor of the same socket.
    var socket: UDPSocket
    var reading: Reading
    var memberships: Set<Membership> = []
  }

  private struct Sender {
    var socket: UDPSocket
    /// Set when this socket receives unicast searches.
    var searchPort: Int?
    var reading: Reading?
  }

  private let ttl: Int
  private let openChannel: Opener
  /// By family: true for IPv6.
  private var receivers: [Bool: Receiver] = [:]
  private var senders: [Source: Sender] = [:]
  /// Families where other programs of this host use the SSDP port, too.
  private var sharedFamilies: Set<Bool> = []
  private var lastID = 0

  init(ttl: Int, open: @escaping Opener) {
    self.ttl = ttl
    openChannel = open
  }

  /// Opens and closes sockets, and joins and leaves groups, to match `endpoints`; returns what failed.
  mutating func update(_ endpoints: [SSDPEndpoint]) -> [Failure] {
    var failures: [Failure] = []
    for ipv6 in Set(endpoints.map(\.address.isIPv6)) where receivers[ipv6] == nil {
      do { try openReceiver(ipv6: ipv6) } catch {
        // Unicast searches can still be received, on the search port that is announced.
        sharedFamilies.insert(ipv6)
        failures.append(Failure("listen for searches on UDP port \(SSDPGroup.port)", error))
      }
    }
    updateMemberships(endpoints, &failures)
    let wanted = Set(endpoints.map { Source(interfaceIndex: $0.interfaceIndex, address: $0.address) })
    for source in senders.keys where !wanted.contains(source) { closeSender(source) }
    for source in wanted where senders[source] == nil {
      do { try openSender(source) } catch { failures.append(Failure("send from \(source.address)", error)) }
    }
    return failures
  }

  /// True when announcements can be sent at `endpoint`.
  func canSend(at endpoint: SSDPEndpoint) -> Bool { sender(endpoint.address, endpoint.interfaceIndex) != nil }

  /// The port to announce for unicast searches; nil for the standard one.
  func searchPort(of address: IPAddress, interfaceIndex: Int) -> Int? {
    sender(address, interfaceIndex)?.searchPort
  }

  /// Sends from `address`, or from another address of the same interface; returns 0 or the error number.
  func send(
    _ bytes: [UInt8], from address: IPAddress, interfaceIndex: Int, to destination: IPAddress, port: Int
  ) -> CInt {
    let sender =
      sender(address, interfaceIndex)
      ?? senders.first {
        $0.key.interfaceIndex == interfaceIndex && $0.key.address.isIPv6 == address.isIPv6
      }?.value
    return sender?.socket.send(
      bytes, to: destination.socketAddress(port: port, interfaceIndex: interfaceIndex))
      ?? 0
  }

  /// Closes a socket whose channel closed by itself; false when it was closed on purpose.
  mutating func lose(_ listener: SearchListener) -> Bool {
    if let ipv6 = receivers.first(where: { $0.value.reading.listener == listener })?.key {
      closeReceiver(ipv6)
    } else if let source = senders.first(where: { $0.value.reading?.listener == listener })?.key {
      closeSender(source)
    } else {
      return false
    }
    return true
  }

  /// Stops receiving; the sockets can still send.
  mutating func closeReceivers() {
    for ipv6 in receivers.keys { closeReceiver(ipv6) }
    for source in senders.keys {
      senders[source]?.reading?.channel.whenSuccess { $0.close(promise: nil) }
      senders[source]?.reading = nil
    }
  }

  mutating func closeAll() {
    closeReceivers()
    for source in senders.keys { closeSender(source) }
  }

  private func sender(_ address: IPAddress, _ interfaceIndex: Int) -> Sender? {
    senders[Source(interfaceIndex: interfaceIndex, address: address)]
  }

  private mutating func openReceiver(ipv6: Bool) throws {
    let isShared = UDPSocket.isShared(port: SSDPGroup.port, ipv6: ipv6)
    let socket = try UDPSocket.receiving(
      port: SSDPGroup.port, ipv6: ipv6, prefix: SSDPGroup.searchPrefix)
    do { receivers[ipv6] = Receiver(socket: socket, reading: try read(socket, interfaceIndex: nil)) } catch {
      socket.close()
      throw error
    }
    if isShared { sharedFamilies.insert(ipv6) } else { sharedFamilies.remove(ipv6) }
  }

  private mutating func openSender(_ source: Source) throws {
    let socket = try UDPSocket.sending(
      from: source.address, interfaceIndex: source.interfaceIndex, ttl: ttl,
      ports: SSDPGroup.searchPorts, prefix: SSDPGroup.searchPrefix)
    var sender = Sender(socket: socket)
    if sharedFamilies.contains(source.address.isIPv6), let port = socket.port,
      SSDPGroup.searchPorts.contains(port)
    {
      do { sender.reading = try read(socket, interfaceIndex: source.interfaceIndex) } catch {
        socket.close()
        throw error
      }
      sender.searchPort = port
    }
    senders[source] = sender
  }

  private mutating func read(_ socket: UDPSocket, interfaceIndex: Int?) throws -> Reading {
    let copy = try socket.duplicate()
    lastID += 1
    let listener = SearchListener(id: lastID, interfaceIndex: interfaceIndex)
    return Reading(listener: listener, channel: openChannel(copy, listener))
  }

  private mutating func updateMemberships(_ endpoints: [SSDPEndpoint], _ failures: inout [Failure]) {
    for ipv6 in receivers.keys {
      guard var receiver = receivers[ipv6] else { continue }
      let wanted = Set(
        endpoints.filter { $0.address.isIPv6 == ipv6 }.map {
          Membership(group: $0.group, interfaceIndex: $0.interfaceIndex)
        })
      // Leaving first also removes stale memberships of an interface that went away and came back.
      for gone in receiver.memberships.subtracting(wanted) {
        receiver.socket.leave(gone.group.address, interfaceIndex: gone.interfaceIndex)
        receiver.memberships.remove(gone)
      }
      for new in wanted.subtracting(receiver.memberships) {
        do {
          try receiver.socket.join(new.group.address, interfaceIndex: new.interfaceIndex)
          receiver.memberships.insert(new)
        } catch {
          failures.append(Failure("hear \(new.group.host) on interface \(new.interfaceIndex)", error))
        }
      }
      receivers[ipv6] = receiver
    }
  }

  private mutating func closeReceiver(_ ipv6: Bool) {
    guard let receiver = receivers.removeValue(forKey: ipv6) else { return }
    receiver.reading.channel.whenSuccess { $0.close(promise: nil) }
    receiver.socket.close()
  }

  private mutating func closeSender(_ source: Source) {
    guard let sender = senders.removeValue(forKey: source) else { return }
    sender.reading?.channel.whenSuccess { $0.close(promise: nil) }
    sender.socket.close()
  }
}

extension DiscoverySockets.Failure {
  fileprivate init(_ what: String, _ error: any Error) {
    self.what = what
    why = (error as? IOError).map { errorText($0.errnoCode) } ?? "\(error)"
  }
}
