import Glibc
import NIOCore

/// One connection to a server: sends a request and reads the response, repeatedly if the server keeps it open.
final class ClientConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Ending {
    /// The status of the response, and whether the connection can carry another message.
    case answered(Int, keeps: Bool)
    /// The server took the whole request and closed the connection without a valid response.
    case cutOff
    /// The connection was reset, or closed before the whole request was sent, so it may not have been read.
    case broken
  }

  /// The request to send once the connection is open.
  private var message: MessagePieces?
  private var report: ((Ending) -> Void)?
  /// The whole request has been sent.
  private var isWritten = false
  private var reply = StatusReader()
  private var context: ChannelHandlerContext?
  /// Called when an idle connection closes.
  var whenIdleEnds: (() -> Void)?

  /// Sends `message` once the connection is open; calls `report` once, unless ``close()`` is called first.
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

  /// Closes the connection and discards unsent data, so that a phone that wakes up later gets no outdated request.
  func abandon() {
    if let channel = context?.channel as? any SocketOptionProvider {
      _ = channel.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
    close()
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    guard let message else { return }
    self.message = nil
    write(message, context)
  }

  private func write(_ message: MessagePieces, _ context: ChannelHandlerContext) {
    isWritten = false
    let onLoop = NIOLoopBound(self, eventLoop: context.eventLoop)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.whenSuccess { onLoop.value.isWritten = true }
    if let second = message.second {
      context.write(wrapOutboundOut(message.first), promise: nil)
      context.writeAndFlush(wrapOutboundOut(second), promise: promise)
    } else {
      context.writeAndFlush(wrapOutboundOut(message.first), promise: promise)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Data without a request is a protocol error.
    guard report != nil else { return context.close(promise: nil) }
    switch reply.read(unwrapInboundIn(data)) {
    case .needMore: break
    case .status(let status): finish(.answered(status, keeps: reply.keepsConnection))
    case .failure: finish(unanswered)
    }
  }

  private var unanswered: Ending { isWritten ? .cutOff : .broken }

  func channelInactive(context: ChannelHandlerContext) {
    finish(reply.status.map { .answered($0, keeps: false) } ?? unanswered)
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
