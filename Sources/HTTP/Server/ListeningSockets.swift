import Glibc
import NIOCore
import NIOPosix
import Network

/// The listening sockets of a server.
enum ListeningSockets {
  /// Listens on `port` of all addresses of one family, or of one address, and gives each connection a handler of `server`.
  ///
  /// Called on the event loop: the socket belongs to the network namespace of its thread.
  ///
  /// - Parameter address: an IPv4 address of this host; nil for all addresses.
  static func listen(
    port: Int, address: IPAddress? = nil, ipv6: Bool = false, on eventLoop: any EventLoop, limits: HTTPLimits,
    server: HTTPServer
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ServerBootstrap(group: eventLoop)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Connections usually arrive one at a time. But when one address opens many at once, the others must not wait
      // a turn of the event loop for each.
      .serverChannelOption(.maxMessagesPerRead, value: 32)
      // SwiftNIO sets TCP_NODELAY on the listening socket, and on Linux connections inherit it; setting it on each
      // would cost two system calls.
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try configure(channel)
          try channel.pipeline.syncOperations.addHandler(ConnectionHandler(server: server, limits: limits))
        }
      }
    guard ipv6 else {
      return bootstrap.bind(to: (address ?? .v4(0)).socketAddress(port: port))
    }
    return
      bootstrap
      .serverChannelOption(
        ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 1
      )
      .bind(to: IPAddress.v6(0, 0).socketAddress(port: port))
  }

  /// Sets options synchronously: as options of the bootstrap, each would cost a future.
  private static func configure(_ channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.allowRemoteHalfClosure, value: true)
    try options.setOption(.maxMessagesPerRead, value: 1)
    try options.setOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 64 * 1024))
    try options.setOption(
      .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16 * 1024)
    )
  }

  /// True for the errors of a port that is in use or may not be opened.
  static func isTaken(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return false }
    return error.errnoCode == EADDRINUSE || error.errnoCode == EACCES
  }
}
