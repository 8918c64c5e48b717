import NIOCore
import NIOPosix
import Network
import UPnP

/// Reads datagrams, and passes announcements and responses to the ``ControlPoint``.
final class NoticeHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let controlPoint: ControlPoint
  private let source: SearchSockets.Source

  init(controlPoint: ControlPoint, source: SearchSockets.Source) {
    self.controlPoint = controlPoint
    self.source = source
  }

  /// Starts to read `socket`; the channel takes ownership of it.
  static func open(
    _ socket: UDPSocket, controlPoint: ControlPoint, source: SearchSockets.Source, eventLoop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    let opening = DatagramBootstrap(group: eventLoop)
      .channelOption(.receivePacketInfo, value: true)
      .channelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: SSDPNotice.maximumLength)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NoticeHandler(controlPoint: controlPoint, source: source))
        }
      }
      .withBoundSocket(socket.descriptor)
    opening.whenFailure { _ in report(source, to: controlPoint, on: eventLoop) }
    return opening
  }

  /// Reports in a later turn of the event loop, since the control point may be changing its sockets right now.
  private static func report(
    _ source: SearchSockets.Source, to controlPoint: ControlPoint, on eventLoop: any EventLoop
  ) {
    eventLoop.execute { controlPoint.assumeIsolated { $0.lost(source) } }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    // A socket of an IPv6 group also gets what comes on other interfaces, and they have sockets of their own.
    guard envelope.metadata?.packetInfo.map({ $0.interfaceIndex == source.interfaceIndex }) ?? true,
      let sender = IPAddress(envelope.remoteAddress),
      let notice = SSDPNotice(datagram: envelope.data.readableBytesView)
    else { return }
    controlPoint.assumeIsolated { $0.received(notice, from: sender, interface: source.interfaceIndex) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    Self.report(source, to: controlPoint, on: context.eventLoop)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // An unreadable datagram is ignored; a lost socket is handled in channelInactive.
  }
}
