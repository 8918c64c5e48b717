import Glibc
import Rooms

/// Asks the sender for its time: the socket of a ``RoomTimeAsker``.
final class SenderTime {
  private(set) var asker: RoomTimeAsker
  private let socket: DatagramSocket
  private let endpoint: IPv4Endpoint
  var address: UInt32 { endpoint.address }

  var descriptor: CInt { socket.descriptor }
  var deadline: Int64? { asker.deadline }

  /// Nil if the system gives no socket.
  ///
  /// - Parameters:
  ///   - address: the sender's.
  ///   - rate: how much faster than ours its clock went last; nil: not known.
  init?(_ address: UInt32, rate: Double?, at now: Int64) {
    asker = RoomTimeAsker(rate: rate)
    endpoint = IPv4Endpoint(address: address, port: RoomTimeRequest.port)
    guard let socket = DatagramSocket(), socket.connect(to: endpoint) else { return nil }
    self.socket = socket
    asker.start(at: now)
  }

  /// Reads what has come. True if something is known anew.
  func read() -> Bool {
    var isNew = false
    for _ in 0..<16 {
      errno = 0
      guard let arrival = socket.receive() else {
        guard errno == ECONNREFUSED else { return isNew }
        asker.refused(at: MonotonicClock.now)
        return true
      }
      asker.receive(arrival.bytes[...], arrival: arrival.time, at: max(MonotonicClock.now, arrival.time))
      isNew = true
    }
    return isNew
  }

  /// Asks if it is time to. False if it isn't.
  ///
  /// - Parameter report: what the sender is told of this room.
  func ask(_ report: () -> RoomReport) -> Bool {
    guard let deadline, deadline <= MonotonicClock.now else { return false }
    asker.report = report()
    // The time of the request is the time of sending.
    if let request = asker.timePassed(at: MonotonicClock.now) { socket.send(request, to: endpoint) }
    return true
  }
}
