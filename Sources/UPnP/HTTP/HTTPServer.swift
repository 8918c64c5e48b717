import Glibc
import NIOCore
import NIOPosix

/// The listening sockets of a host.
enum HTTPServer {
  /// Listens on `port` of every address of one family, and gives each connection to a handler of `host`.
  static func listen(
    port: Int, ipv6: Bool, on eventLoop: any EventLoop, limits: HTTPLimits, host: DeviceHost
  ) async throws -> any Channel {
    let bootstrap = ServerBootstrap(group: eventLoop)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Connections come one by one: to ask for another each time would be a system call for nothing.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      // TCP_NODELAY, which SwiftNIO sets on the listening socket, connections have from that on Linux; to set it on each
      // would be two system calls.
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try configure(channel)
          try channel.pipeline.syncOperations.addHandler(ConnectionHandler(host: host, limits: limits))
        }
      }
    guard ipv6 else {
      return try await bootstrap.bind(to: IPAddress.v4(0).socketAddress(port: port)).get()
    }
    return
      try await bootstrap
      .serverChannelOption(
        ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 1
      )
      .bind(to: IPAddress.v6(0, 0).socketAddress(port: port)).get()
  }

  /// At once: as options of the bootstrap, each would be a future of its own.
  private static func configure(_ channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.allowRemoteHalfClosure, value: true)
    try options.setOption(.maxMessagesPerRead, value: 1)
    try options.setOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 64 * 1024))
    try options.setOption(
      .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16 * 1024)
    )
  }

  /// True for the error that says that somebody else has the port.
  static func isPortTaken(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return false }
    return error.errnoCode == EADDRINUSE || error.errnoCode == EACCES
  }
}
