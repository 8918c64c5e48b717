import ControlPoint
import Glibc
import HTTP
import NIOCore
import NIOPosix
import Renderers

/// Sends a file to a Vireo, piece by piece as that takes it.
final class UploadSender: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let pieceBytes = 64 * 1024
  private static let longestAnswer = 64 * 1024
  /// How long nothing may happen.
  private static let patience = TimeAmount.seconds(60)

  private let head: String
  private let file: ServedFile
  private let done: EventLoopPromise<UploadAnswer?>
  private var sent: Int64 = 0
  private var answer = ByteBuffer()
  private var deadline: Scheduled<Void>?

  private init(_ file: ServedFile, to address: ServiceAddress, done: EventLoopPromise<UploadAnswer?>) {
    self.file = file
    self.done = done
    head = """
      POST \(address.target) HTTP/1.1\r
      HOST: \(address.address.urlHost):\(address.port)\r
      USER-AGENT: vireoctl/\(Version.text)\r
      CONTENT-TYPE: application/octet-stream\r
      CONTENT-LENGTH: \(file.size)\r
      CONNECTION: close\r
      \r\n
      """
  }

  /// - Returns: nil if the connection ended without an answer.
  static func send(_ file: ServedFile, to address: ServiceAddress) async throws -> UploadAnswer? {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let done = eventLoop.makePromise(of: UploadAnswer?.self)
    ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(5))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(UploadSender(file, to: address, done: done))
        }
      }
      .connect(
        to: address.address.socketAddress(port: address.port, interfaceIndex: address.interface)
      )
      .whenFailure { done.fail($0) }
    return try await done.futureResult.get()
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
    sendMore(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { sendMore(context) }

  private func sendMore(_ context: ChannelHandlerContext) {
    wait(context)
    while sent < file.size, context.channel.isWritable, context.channel.isActive {
      var piece = context.channel.allocator.buffer(capacity: Self.pieceBytes)
      let (descriptor, wanted, place) = (
        file.descriptor, min(Self.pieceBytes, Int(file.size - sent)), off_t(sent)
      )
      let count = piece.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { bytes in
        max(pread(descriptor, bytes.baseAddress, wanted, place), 0)
      }
      // It has become shorter, or can't be read any more.
      guard count > 0 else { return context.close(promise: nil) }
      sent += Int64(count)
      context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
    }
  }

  private func wait(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    answer.writeBuffer(&bytes)
    if answer.readableBytes > Self.longestAnswer { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    done.succeed(read)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// The answer, which ends with the connection.
  private var read: UploadAnswer? {
    let text = Array(answer.readableBytesView)
    guard text.starts(with: "HTTP/1.".utf8),
      let status = Int(String(decoding: text.dropFirst(9).prefix(3), as: UTF8.self))
    else { return nil }
    let end: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a]
    let body = text.indices.first { text[$0...].starts(with: end) }.map { Array(text[($0 + 4)...]) }
    return UploadAnswer(status: status, body: body ?? [])
  }
}
