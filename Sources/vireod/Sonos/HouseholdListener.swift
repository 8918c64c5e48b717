import NIOCore
import NIOPosix
import Network
import Services
import UPnP

/// Hears which zones are in the network, and asks for them: the sockets of ``HouseholdWatch``.
///
/// Runs on the event loop that it was made with.
final class HouseholdListener {
  private static let search = SearchRequest(target: ZoneDevice.type, mx: 1)

  private let eventLoop: any EventLoop
  private let heard: @Sendable (ZoneNotice) -> Void
  private var endpoints: [SSDPEndpoint] = []
  private var searchers: [(endpoint: SSDPEndpoint, socket: UDPSocket)] = []
  private var channels: [EventLoopFuture<any Channel>] = []

  init(eventLoop: any EventLoop, heard: @escaping @Sendable (ZoneNotice) -> Void) {
    self.eventLoop = eventLoop
    self.heard = heard
  }

  /// Listens on these interfaces; returns whether they differ from those before.
  func set(_ interfaces: [NetworkInterface]) -> Bool {
    let new = SSDPEndpoint.endpoints(of: interfaces).filter { $0.group == .ipv4 }
    guard new != endpoints else { return false }
    close()
    endpoints = new
    let networks = interfaces.filter(\.isRunning).flatMap(\.addresses)
    let isServed: @Sendable (IPAddress) -> Bool = { address in
      networks.contains { $0.contains(address) && !$0.isBroadcast(address) }
    }
    for index in Set(new.map(\.interfaceIndex)) {
      let socket = try? UDPSocket.listening(
        to: SSDPGroup.ipv4.address, port: SSDPGroup.port, interfaceIndex: index, prefix: "NOTI")
      if let socket { channels.append(read(socket, isServed)) }
    }
    for endpoint in new {
      guard
        let socket = try? UDPSocket.sending(
          from: endpoint.address, interfaceIndex: endpoint.interfaceIndex, ttl: 4,
          ports: SSDPGroup.searchPorts, prefix: "HTTP")
      else { continue }
      searchers.append((endpoint, socket))
      if let copy = try? socket.duplicate() { channels.append(read(copy, isServed)) }
    }
    return true
  }

  /// Whether there is a network to listen on.
  var isConnected: Bool { !endpoints.isEmpty }

  func ask() {
    let bytes = Self.search.encoded(host: SSDPGroup.ipv4.host, userAgent: "Vireo")
    for (endpoint, socket) in searchers {
      _ = socket.send(
        bytes,
        to: SSDPGroup.ipv4.address.socketAddress(
          port: SSDPGroup.port, interfaceIndex: endpoint.interfaceIndex))
    }
  }

  func close() {
    for channel in channels { channel.whenSuccess { $0.close(promise: nil) } }
    for searcher in searchers { searcher.socket.close() }
    (channels, searchers, endpoints) = ([], [], [])
  }

  private func read(
    _ socket: UDPSocket, _ isServed: @escaping @Sendable (IPAddress) -> Bool
  ) -> EventLoopFuture<any Channel> {
    let heard = heard
    return DatagramBootstrap(group: eventLoop)
      .channelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: SSDPNotice.maximumLength)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Reader(heard: heard, isServed: isServed))
        }
      }
      .withBoundSocket(socket.descriptor)
  }

  private final class Reader: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    let heard: @Sendable (ZoneNotice) -> Void
    let isServed: @Sendable (IPAddress) -> Bool

    init(
      heard: @escaping @Sendable (ZoneNotice) -> Void, isServed: @escaping @Sendable (IPAddress) -> Bool
    ) {
      self.heard = heard
      self.isServed = isServed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let envelope = unwrapInboundIn(data)
      guard let source = IPAddress(envelope.remoteAddress),
        let notice = ZoneNotice(
          datagram: envelope.data.readableBytesView, from: source, isServed: isServed)
      else { return }
      heard(notice)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      // An unreadable datagram is ignored.
    }
  }
}
