import Glibc
import NIOCore
import NIOPosix
import Network
import UPnP

/// Asks all devices who they are, and listens to the answers: what a control point does, with all that went wrong.
struct Survey: Sendable {
  /// How long devices may wait with their answers, in seconds; they get more time than that.
  static let mx = 1
  static let time = Duration.milliseconds(2800)
  /// When the searches are sent: Wi-Fi loses some.
  static let repeats = [Duration.zero, .milliseconds(700)]
  static let maximumAnswers = 4000
  static let targets = [
    "upnp:rootdevice", "urn:schemas-upnp-org:device:MediaRenderer:1",
    "urn:schemas-upnp-org:device:MediaServer:1",
    "urn:av-openhome-org:service:Product:1",
  ]

  private struct Sender {
    var endpoint: SSDPEndpoint
    var interface: String
    var socket: UDPSocket
    /// Asks the wanted address alone.
    var isUnicast = false
    var errorCode: CInt = 0
  }

  var interfaces: [NetworkInterface]
  /// An address to ask alone, too.
  var wanted: IPAddress?
  var userAgent: String

  /// The places that searches were sent from, and the answers.
  func run() async throws -> (endpoints: [DoctorFacts.Endpoint], answers: [DoctorFacts.Answer]) {
    var senders: [Sender] = []
    var endpoints: [DoctorFacts.Endpoint] = []
    defer { for sender in senders { sender.socket.close() } }
    for endpoint in SSDPEndpoint.endpoints(of: interfaces) where endpoint.group != .ipv6SiteLocal {
      let interface = interfaces.first { $0.index == endpoint.interfaceIndex }?.name ?? "?"
      do {
        senders.append(Sender(endpoint: endpoint, interface: interface, socket: try Self.socket(endpoint)))
        guard wanted?.isIPv6 == endpoint.address.isIPv6 else { continue }
        senders.append(
          Sender(endpoint: endpoint, interface: interface, socket: try Self.socket(endpoint), isUnicast: true)
        )
      } catch {
        endpoints.append(
          .init(
            interface: interface, address: endpoint.address, errorCode: (error as? IOError)?.errnoCode ?? EIO)
        )
      }
    }
    let start = ContinuousClock.now
    var pending = Self.repeats
    var answers: [DoctorFacts.Answer] = []
    while ContinuousClock.now - start < Self.time {
      if let next = pending.first, ContinuousClock.now - start >= next {
        pending.removeFirst()
        for index in senders.indices { send(from: &senders[index]) }
      }
      for sender in senders { receive(from: sender, since: start, &answers) }
      try await Task.sleep(for: .milliseconds(5))
    }
    endpoints += senders.filter { !$0.isUnicast }.map {
      .init(interface: $0.interface, address: $0.endpoint.address, errorCode: $0.errorCode)
    }
    return (endpoints, answers)
  }

  private static func socket(_ endpoint: SSDPEndpoint) throws -> UDPSocket {
    try UDPSocket.sending(
      from: endpoint.address, interfaceIndex: endpoint.interfaceIndex, ttl: 2, ports: SSDPGroup.searchPorts,
      prefix: "HTTP")
  }

  private func send(from sender: inout Sender) {
    let group = sender.endpoint.group
    let scope = sender.endpoint.interfaceIndex
    if sender.isUnicast, let wanted {
      let request = SearchRequest(target: Self.targets[0], mx: Self.mx)
        .encoded(host: "\(wanted.urlHost):\(SSDPGroup.port)", userAgent: userAgent)
      _ = sender.socket.send(request, to: wanted.socketAddress(port: SSDPGroup.port, interfaceIndex: scope))
      return
    }
    for target in Self.targets {
      let request = SearchRequest(target: target, mx: Self.mx).encoded(host: group.host, userAgent: userAgent)
      let code = sender.socket.send(
        request, to: group.address.socketAddress(port: SSDPGroup.port, interfaceIndex: scope))
      if code != 0 { sender.errorCode = code }
    }
  }

  private func receive(
    from sender: Sender, since start: ContinuousClock.Instant, _ answers: inout [DoctorFacts.Answer]
  ) {
    var bytes = [UInt8](repeating: 0, count: SSDPNotice.maximumLength)
    for _ in 0..<256 {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let count = bytes.withUnsafeMutableBytes { buffer in
        withUnsafeMutablePointer(to: &storage) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            recvfrom(sender.socket.descriptor, buffer.baseAddress, buffer.count, 0, $0, &length)
          }
        }
      }
      guard count > 0 else { return }
      guard answers.count < Self.maximumAnswers, let from = IPAddress(storage),
        let notice = SSDPNotice(datagram: bytes[..<count]), notice.kind == .response,
        let location = notice.location
      else { continue }
      answers.append(
        .init(
          udn: notice.udn, target: notice.target, location: location, sender: from,
          interface: sender.interface,
          delay: Int((ContinuousClock.now - start) / .milliseconds(1)), bootID: notice.bootID,
          isUnicast: sender.isUnicast))
    }
  }
}
