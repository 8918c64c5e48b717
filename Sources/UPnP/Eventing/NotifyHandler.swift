import NIOCore

/// One connection to a subscriber: sends the message, reads the status.
final class NotifyHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let head: ByteBuffer
  private let body: ByteBuffer
  private var answer: EventLoopPromise<DeliveryOutcome>?
  private var reply = StatusReader()

  init(head: ByteBuffer, body: ByteBuffer, answer: EventLoopPromise<DeliveryOutcome>) {
    self.head = head
    self.body = body
    self.answer = answer
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(head), promise: nil)
    context.writeAndFlush(wrapOutboundOut(body), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    switch reply.read(bytes) {
    case .needMore: break
    case .status(let status): finish(context, .answered(status))
    case .failure: finish(context, .unreachable)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(context, reply.status.map { .answered($0) } ?? .unreachable)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finish(context, reply.status.map { .answered($0) } ?? .unreachable)
  }

  private func finish(_ context: ChannelHandlerContext, _ outcome: DeliveryOutcome) {
    guard let answer else { return }
    self.answer = nil
    context.close(promise: nil)
    answer.succeed(outcome)
  }
}
