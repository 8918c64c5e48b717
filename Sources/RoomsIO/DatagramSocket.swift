import CLinux
import Glibc
import Rooms

/// A UDP socket over IPv4. Closed when it is released.
final class DatagramSocket {
  /// Larger datagrams aren't Songcast's.
  private static let most = 16 << 10

  let descriptor: CInt
  private var room = [UInt8](repeating: 0, count: most)

  /// One datagram as it came.
  struct Arrival {
    var bytes: [UInt8]
    var source: IPv4Endpoint
    /// Nanoseconds of the monotonic clock.
    var time: Int64
  }

  /// Nil if the system refuses; errno says why.
  init?(address: UInt32 = 0, port: UInt16 = 0, isShared: Bool = false) {
    descriptor = clinux_open_datagrams(address, port, isShared ? 1 : 0)
    guard descriptor >= 0 else { return nil }
  }

  /// Takes an open socket.
  init(taking descriptor: CInt) { self.descriptor = descriptor }

  /// Opens a socket for ``init(taking:)``; negative if the system refuses.
  static func descriptor(port: UInt16) -> CInt { clinux_open_datagrams(0, port, 0) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// From now on it sends to `endpoint` alone, and hears nothing else.
  func connect(to endpoint: IPv4Endpoint) -> Bool {
    clinux_connect_datagrams(descriptor, endpoint.address, endpoint.port) == 0
  }

  func join(_ group: UInt32, on link: IPv4Link, hops: Int) -> Bool {
    clinux_join_group(descriptor, group, link.address, CInt(hops)) == 0
  }

  /// What can't be sent at once is lost, as on the network.
  func send(_ bytes: [UInt8], to endpoint: IPv4Endpoint) {
    _ = clinux_send_datagram(descriptor, bytes, UInt(bytes.count), endpoint.address, endpoint.port)
  }

  /// Sends to a group, on each of the links.
  func send(_ bytes: [UInt8], toGroup endpoint: IPv4Endpoint, on links: [IPv4Link], hops: Int) {
    for link in links where clinux_send_groups_from(descriptor, link.address, CInt(hops)) == 0 {
      send(bytes, to: endpoint)
    }
  }

  /// The next datagram that has come; nil if there is none.
  func receive() -> Arrival? {
    var (address, port, time) = (UInt32(0), UInt16(0), CLongLong(0))
    let count = clinux_receive_datagram(descriptor, &room, UInt(room.count), &address, &port, &time)
    guard count >= 0 else { return nil }
    return Arrival(
      bytes: Array(room[..<count]), source: IPv4Endpoint(address: address, port: port), time: time)
  }
}
