import Glibc
import NIOCore
import Network
import Rooms

/// Says on each network where this room plays, when it is asked and when that changes (Songcast, OHZ): sockets and timers
/// around a ``ZoneOwner`` for each of this host's addresses. Confined to the event loop.
final class ZonePost {
  private struct Post {
    var link: IPv4Link
    var interfaceIndex: Int
    var owner: ZoneOwner
    /// Sends from the address of ``link``.
    var socket: UDPSocket
  }

  private let zone: String
  private let eventLoop: any EventLoop
  private var posts: [Post] = []
  /// What is heard, by the interface's index.
  private var channels: [Int: EventLoopFuture<any Channel>] = [:]
  private var timer: Scheduled<Void>?
  /// Where the room plays, for listeners of a network.
  private var place: (IPv4Link) -> SongcastURI = { _ in .silence }
  /// Passes a datagram to whoever owns this, on the event loop.
  private let receive: @Sendable (_ datagram: [UInt8], _ source: IPv4Endpoint, _ interface: Int) -> Void

  init(
    zone: String, eventLoop: any EventLoop,
    receive: @escaping @Sendable (_ datagram: [UInt8], _ source: IPv4Endpoint, _ interface: Int) -> Void
  ) {
    self.zone = zone
    self.eventLoop = eventLoop
    self.receive = receive
  }

  /// The networks have changed. Returns what failed.
  func setInterfaces(_ interfaces: [NetworkInterface]) -> [String] {
    var wanted: [(link: IPv4Link, index: Int)] = []
    for interface in interfaces where interface.canMulticast {
      for own in interface.addresses {
        guard case .v4(let bits) = own.address else { continue }
        wanted.append((IPv4Link(address: bits, prefix: own.prefixLength), interface.index))
      }
    }
    posts.removeAll { post in
      let isGone = !wanted.contains { $0 == (post.link, post.interfaceIndex) }
      if isGone { post.socket.close() }
      return isGone
    }
    for index in Set(channels.keys).subtracting(wanted.map(\.index)) { close(index) }
    var failures: [String] = []
    for (link, index) in wanted
    where !posts.contains(where: { $0.link == link && $0.interfaceIndex == index }) {
      do { posts.append(try open(link, index)) } catch {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        failures.append("UDP port \(SongcastURI.zones.port) on \(IPAddress.v4(link.address)): \(reason)")
      }
    }
    tell()
    return failures
  }

  /// The room plays elsewhere from now on.
  func setPlace(_ place: @escaping (IPv4Link) -> SongcastURI) {
    self.place = place
    let now = Self.now
    for index in posts.indices { posts[index].owner.setURI(place(posts[index].link), at: now) }
    tell()
  }

  /// A datagram has come on the interface with this index.
  func take(_ datagram: [UInt8], from source: IPv4Endpoint, on interface: Int) {
    // An interface may have several addresses: the one whose network asks answers.
    for index in posts.indices where posts[index].interfaceIndex == interface {
      if let answer = posts[index].owner.receive(datagram[...], from: source, at: Self.now) {
        send(answer, from: posts[index])
      }
    }
  }

  func stop() {
    timer?.cancel()
    for post in posts { post.socket.close() }
    posts = []
    for index in channels.keys { close(index) }
  }

  private static var now: Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

  private func open(_ link: IPv4Link, _ index: Int) throws -> Post {
    // Nobody writes to it.
    let socket = try UDPSocket.sending(
      from: .v4(link.address), interfaceIndex: index, ttl: 1, ports: 49152...65535, prefix: "Ohz ")
    do { try listen(index) } catch {
      socket.close()
      throw error
    }
    var owner = ZoneOwner(zone: zone, links: [link])
    owner.setURI(place(link), at: Self.now)
    return Post(link: link, interfaceIndex: index, owner: owner, socket: socket)
  }

  private func listen(_ index: Int) throws {
    guard channels[index] == nil else { return }
    let socket = try UDPSocket.listening(
      to: .v4(SongcastURI.zones.address), port: Int(SongcastURI.zones.port), interfaceIndex: index,
      prefix: "Ohz ")
    let receive = receive
    channels[index] = RoomDatagrams.open(socket.descriptor, on: eventLoop) { receive($0, $1, index) }
  }

  private func close(_ index: Int) {
    channels.removeValue(forKey: index)?.whenSuccess { $0.close(promise: nil) }
  }

  private func send(_ bytes: [UInt8], from post: Post) {
    let group = IPAddress.v4(SongcastURI.zones.address)
    _ = post.socket.send(
      bytes,
      to: group.socketAddress(port: Int(SongcastURI.zones.port), interfaceIndex: post.interfaceIndex))
  }

  /// Tells what is to be told, now and later.
  private func tell() {
    let now = Self.now
    for index in posts.indices {
      if let telling = posts[index].owner.timePassed(at: now) { send(telling, from: posts[index]) }
    }
    timer?.cancel()
    timer = nil
    guard let next = posts.compactMap(\.owner.deadline).min() else { return }
    let loop = NIOLoopBound(self, eventLoop: eventLoop)
    timer = eventLoop.scheduleTask(in: .nanoseconds(max(0, next - now))) { loop.value.tell() }
  }
}
