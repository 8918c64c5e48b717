import NIOCore
import NIOPosix
import Network

/// A search and its origin.
struct ReceivedSearch: Sendable {
  var request: SearchRequest
  var searcher: SearchResponder.Searcher
  var isUnicast: Bool
}

/// Reads datagrams and passes searches to ``Discovery``.
final class SearchHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let discovery: Discovery
  private let listener: SearchListener

  init(discovery: Discovery, listener: SearchListener) {
    self.discovery = discovery
    self.listener = listener
  }

  /// Starts to read `socket`; the channel takes ownership of it.
  static func open(
    _ socket: UDPSocket, discovery: Discovery, listener: SearchListener, eventLoop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    let opening = DatagramBootstrap(group: eventLoop)
      .channelOption(.receivePacketInfo, value: listener.interfaceIndex == nil)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            SearchHandler(discovery: discovery, listener: listener))
        }
      }
      .withBoundSocket(socket.descriptor)
    opening.whenFailure { _ in report(listener, to: discovery, on: eventLoop) }
    return opening
  }

  /// Reports in a later turn of the event loop, since `discovery` may be changing its sockets right now.
  private static func report(_ listener: SearchListener, to discovery: Discovery, on eventLoop: any EventLoop)
  {
    eventLoop.execute { discovery.assumeIsolated { $0.lost(listener) } }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    guard let request = SearchRequest(datagram: envelope.data.readableBytesView),
      let search = received(request, envelope)
    else { return }
    discovery.assumeIsolated { $0.received(search) }
  }

  private func received(
    _ request: SearchRequest, _ envelope: AddressedEnvelope<ByteBuffer>
  ) -> ReceivedSearch? {
    let info = envelope.metadata?.packetInfo
    guard let address = IPAddress(envelope.remoteAddress), let port = envelope.remoteAddress.port,
      let index = listener.interfaceIndex ?? info?.interfaceIndex
    else { return nil }
    let isMulticast = info.flatMap { IPAddress($0.destinationAddress) }?.isMulticast ?? false
    return ReceivedSearch(
      request: request, searcher: .init(address: address, port: port, interfaceIndex: index),
      isUnicast: !isMulticast)
  }

  func channelInactive(context: ChannelHandlerContext) {
    Self.report(listener, to: discovery, on: context.eventLoop)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // An unreadable datagram is ignored; a lost socket is handled in channelInactive.
  }
}
