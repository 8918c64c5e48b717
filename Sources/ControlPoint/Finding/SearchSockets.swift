import NIOCore
import Network
import UPnP

/// The sockets of a control point, adjusted to the endpoints: one per own address to search from, and one per group and
/// interface to hear announcements.
struct SearchSockets {
  /// A socket that is read; `id` is never reused.
  struct Source: Sendable, Hashable {
    var id: Int
    var interfaceIndex: Int
  }

  /// Starts to read a socket; the channel takes ownership of it.
  typealias Opener = (_ socket: UDPSocket, _ source: Source) -> EventLoopFuture<any Channel>

  private struct Group: Hashable {
    var interfaceIndex: Int
    var group: SSDPGroup
  }

  private struct Reading {
    var source: Source
    var channel: EventLoopFuture<any Channel>

    func close() { channel.whenSuccess { $0.close(promise: nil) } }
  }

  private struct Searcher {
    var socket: UDPSocket
    var reading: Reading

    func close() {
      reading.close()
      socket.close()
    }
  }

  private let ttl: Int
  private let openChannel: Opener
  private var searchers: [SSDPEndpoint: Searcher] = [:]
  private var listeners: [Group: Reading] = [:]
  private var lastID = 0

  init(ttl: Int, open: @escaping Opener) {
    self.ttl = min(max(ttl, 1), 255)
    openChannel = open
  }

  /// Where searches can be sent.
  var endpoints: some Collection<SSDPEndpoint> { searchers.keys }

  /// Opens and closes sockets to match `endpoints`; returns what failed.
  mutating func update(_ endpoints: [SSDPEndpoint]) -> [String] {
    var failures: [String] = []
    let groups = Set(endpoints.map { Group(interfaceIndex: $0.interfaceIndex, group: $0.group) })
    for gone in Set(listeners.keys).subtracting(groups) { listeners.removeValue(forKey: gone)?.close() }
    for gone in Set(searchers.keys).subtracting(endpoints) { searchers.removeValue(forKey: gone)?.close() }
    for group in groups where listeners[group] == nil {
      do { listeners[group] = try listen(group) } catch {
        failures.append("hear announcements to \(group.group.host): \(error)")
      }
    }
    for endpoint in endpoints where searchers[endpoint] == nil {
      do { searchers[endpoint] = try search(endpoint) } catch {
        failures.append("search from \(endpoint.address): \(error)")
      }
    }
    return failures
  }

  /// Sends a datagram to the group of `endpoint`; returns 0 or the error number.
  func send(_ bytes: [UInt8], at endpoint: SSDPEndpoint) -> CInt {
    searchers[endpoint]?.socket.send(
      bytes,
      to: endpoint.group.address.socketAddress(port: SSDPGroup.port, interfaceIndex: endpoint.interfaceIndex))
      ?? 0
  }

  /// Forgets a socket whose channel closed by itself; false when it was closed on purpose.
  mutating func lose(_ source: Source) -> Bool {
    if let group = listeners.first(where: { $0.value.source == source })?.key {
      listeners[group] = nil
    } else if let endpoint = searchers.first(where: { $0.value.reading.source == source })?.key {
      searchers.removeValue(forKey: endpoint)?.socket.close()
    } else {
      return false
    }
    return true
  }

  mutating func closeAll() { _ = update([]) }

  private mutating func listen(_ group: Group) throws -> Reading {
    let socket = try UDPSocket.listening(
      to: group.group.address, port: SSDPGroup.port, interfaceIndex: group.interfaceIndex, prefix: "NOTI")
    return read(socket, group.interfaceIndex)
  }

  private mutating func search(_ endpoint: SSDPEndpoint) throws -> Searcher {
    let socket = try UDPSocket.sending(
      from: endpoint.address, interfaceIndex: endpoint.interfaceIndex, ttl: ttl, ports: SSDPGroup.searchPorts,
      prefix: "HTTP")
    do {
      return Searcher(socket: socket, reading: read(try socket.duplicate(), endpoint.interfaceIndex))
    } catch {
      socket.close()
      throw error
    }
  }

  private mutating func read(_ socket: UDPSocket, _ interfaceIndex: Int) -> Reading {
    lastID += 1
    let source = Source(id: lastID, interfaceIndex: interfaceIndex)
    return Reading(source: source, channel: openChannel(socket, source))
  }
}
