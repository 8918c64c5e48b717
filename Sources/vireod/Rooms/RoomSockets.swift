import NIOCore
import NIOPosix
import Network
import Rooms

/// Hears datagrams for ``RoomParts``, on the event loop.
final class RoomDatagrams: ChannelInboundHandler, Sendable {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  /// Larger ones aren't for a sender: nobody asks for so much, or says so much of a zone.
  private static let most = 1024

  private let receive: @Sendable (_ datagram: [UInt8], _ source: IPv4Endpoint) -> Void

  private init(receive: @escaping @Sendable ([UInt8], IPv4Endpoint) -> Void) { self.receive = receive }

  /// Starts to read `descriptor`; the channel takes ownership of it.
  static func open(
    _ descriptor: CInt, on eventLoop: any EventLoop,
    receive: @escaping @Sendable (_ datagram: [UInt8], _ source: IPv4Endpoint) -> Void
  ) -> EventLoopFuture<any Channel> {
    DatagramBootstrap(group: eventLoop)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: most))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RoomDatagrams(receive: receive))
        }
      }
      .withBoundSocket(descriptor)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    guard case .v4(let address)? = IPAddress(envelope.remoteAddress),
      let port = envelope.remoteAddress.port
    else { return }
    receive(
      Array(envelope.data.readableBytesView), IPv4Endpoint(address: address, port: UInt16(clamping: port)))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Somebody who listened has gone: the kernel tells so, and he is forgotten in time.
  }
}
