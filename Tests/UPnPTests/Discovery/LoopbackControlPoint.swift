import Glibc
import NIOCore
import NIOPosix
import Network
import Text

@testable import UPnP

/// A control point on the loopback: hears announcements, sends searches, reads answers.
final class LoopbackControlPoint: Sendable {
  typealias Message = [String: String]

  /// Answers and announcements as they come: header fields by upper-case name, the first line as "".
  let messages: AsyncStream<Message>
  private let listening: any Channel
  private let searching: any Channel

  init(eventLoop: any EventLoop) async throws {
    let (messages, continuation) = AsyncStream<Message>.makeStream(bufferingPolicy: .bufferingNewest(10_000))
    self.messages = messages
    let reuse = ChannelOptions.Types.SocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_REUSEPORT))
    let bootstrap = DatagramBootstrap(group: eventLoop)
      // Whatever devices other tests announce comes here as well. The system gives as much as it allows.
      .channelOption(.socketOption(.so_rcvbuf), value: 4 * 1024 * 1024)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Reader(continuation: continuation))
        }
      }
    searching = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    listening =
      try await bootstrap
      .channelOption(.socketOption(.so_reuseaddr), value: 1)
      .channelOption(reuse, value: 1)
      .bind(host: "0.0.0.0", port: SSDPGroup.port).get()
    if let provider = listening as? any SocketOptionProvider {
      // NIO's joinGroup takes the loopback's missing multicast flag at its word.
      let membership = ip_mreqn(
        imr_multiaddr: in_addr(s_addr: UInt32(0xefff_fffa).bigEndian), imr_address: in_addr(s_addr: 0),
        imr_ifindex: 1)
      try await provider.unsafeSetSocketOption(
        level: .ip, name: NIOBSDSocket.Option(rawValue: IP_ADD_MEMBERSHIP), value: membership
      ).get()
    }
    if let provider = searching as? any SocketOptionProvider {
      try await provider.setIPMulticastIF(in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)).get()
    }
  }

  func send(_ bytes: some Sequence<UInt8>, to address: IPAddress, port: Int) async throws {
    try await searching.writeAndFlush(
      AddressedEnvelope(
        remoteAddress: address.socketAddress(port: port), data: ByteBuffer(bytes: bytes)))
  }

  func search(
    _ target: String, at address: IPAddress = SSDPGroup.ipv4.address, port: Int = SSDPGroup.port
  ) async throws {
    let text = "M-SEARCH * HTTP/1.1\r\nHOST: x\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n\r\n"
    try await send(text.utf8, to: address, port: port)
  }

  /// The answer to a search, which is repeated until it comes: datagrams may be lost.
  func answer(to target: String, _ isWanted: (Message) -> Bool) async -> Message? {
    let searching = Task {
      while !Task.isCancelled {
        try await search(target)
        try await Task.sleep(for: .seconds(3))
      }
    }
    defer { searching.cancel() }
    return await next { $0["ST"] == target && isWanted($0) }
  }

  /// The next message that `isWanted`; nil when there are no more.
  func next(_ isWanted: (Message) -> Bool) async -> Message? {
    for await message in messages where isWanted(message) { return message }
    return nil
  }

  func close() async throws {
    try await listening.close()
    try await searching.close()
  }

  private final class Reader: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let continuation: AsyncStream<Message>.Continuation

    init(continuation: AsyncStream<Message>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var message: Message = [:]
      let lines = String(buffer: unwrapInboundIn(data).data).split(separator: "\r\n")
      message[""] = lines.first.map(String.init)
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        message[parts[0].uppercased()] = parts.count > 1 ? String(parts[1]).trimmingASCIISpace : ""
      }
      continuation.yield(message)
    }
  }
}
