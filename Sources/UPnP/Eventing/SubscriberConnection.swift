import NIOCore

/// One connection to a subscriber: sends a message and reads the answer; and once more, where the subscriber keeps it.
final class SubscriberConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Ending {
    /// The status of the answer, and whether the connection is open for another message.
    case answered(Int, keeps: Bool)
    /// The connection ended without an answer.
    case broken
  }

  /// What is sent once the connection is open.
  private var message: MessagePieces?
  private var report: ((Ending) -> Void)?
  private var reply = StatusReader()
  private var context: ChannelHandlerContext?
  /// Called when an idle connection ends.
  var whenIdleEnds: (() -> Void)?

  /// Sends `message` now, or as soon as the connection is open; `report` is called once, unless it is closed before.
  func send(_ message: MessagePieces, report: @escaping (Ending) -> Void) {
    self.report = report
    reply = StatusReader()
    if let context, context.channel.isActive {
      write(message, context)
    } else {
      self.message = message
    }
  }

  /// Closes the connection; nothing is reported any more.
  func close() {
    report = nil
    whenIdleEnds = nil
    context?.close(promise: nil)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    guard let message else { return }
    self.message = nil
    write(message, context)
  }

  private func write(_ message: MessagePieces, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(message.first), promise: nil)
    if let second = message.second { context.write(wrapOutboundOut(second), promise: nil) }
    context.flush()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Who speaks without being asked can't be understood.
    guard report != nil else { return context.close(promise: nil) }
    switch reply.read(unwrapInboundIn(data)) {
    case .needMore: break
    case .status(let status): finish(.answered(status, keeps: reply.keepsConnection))
    case .failure: finish(.broken)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(reply.status.map { .answered($0, keeps: false) } ?? .broken)
    let ended = whenIdleEnds
    whenIdleEnds = nil
    ended?()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finish(reply.status.map { .answered($0, keeps: false) } ?? .broken)
    context.close(promise: nil)
  }

  private func finish(_ ending: Ending) {
    guard let report else { return }
    self.report = nil
    if case .answered(_, keeps: true) = ending {} else { context?.close(promise: nil) }
    report(ending)
  }
}
