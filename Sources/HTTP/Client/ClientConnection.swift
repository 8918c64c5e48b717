import Glibc
import NIOCore

/// One connection to a server: sends a request and reads the response, repeatedly if the server keeps it open.
final class ClientConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Ending {
    /// The response, and whether the connection can carry another message.
    case answered(ClientResponse, keeps: Bool)
    /// The response can't be read.
    case faulty(ResponseFault)
    /// The response began, and the connection ended before it was complete.
    case incomplete
    /// The server took the whole request and closed the connection without a valid response.
    case cutOff
    /// The connection was reset, or closed before the whole request was sent, so it may not have been read.
    case broken
  }

  /// How the response is read.
  private enum Reply {
    case status(StatusReader)
    case whole(ResponseReader)
  }

  /// The request to send once the connection is open.
  private var message: MessagePieces?
  private var report: ((Ending) -> Void)?
  /// The whole request has been sent.
  private var isWritten = false
  private var reply = Reply.status(StatusReader())
  private var context: ChannelHandlerContext?
  /// Called when an idle connection closes.
  var whenIdleEnds: (() -> Void)?

  /// Sends `message` once the connection is open; calls `report` once, unless ``close()`` is called first.
  func send(
    _ message: MessagePieces, wanted: WantedResponse = .status, report: @escaping (Ending) -> Void
  ) {
    self.report = report
    reply =
      switch wanted {
      case .status: .status(StatusReader())
      case .whole(let limit, let hasBody): .whole(ResponseReader(limit: limit, hasBody: hasBody))
      }
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
    if let ending = read(unwrapInboundIn(data)) { finish(ending) }
  }

  /// Returns nil as long as the response isn't complete.
  private func read(_ bytes: ByteBuffer) -> Ending? {
    switch reply {
    case .status(var reader):
      let result = reader.read(bytes)
      reply = .status(reader)
      switch result {
      case .needMore: return nil
      case .status(let status):
        return .answered(ClientResponse(status: status), keeps: reader.keepsConnection)
      case .failure: return unanswered
      }
    case .whole(var reader):
      // The buffers of the reader must not be shared while they grow.
      reply = .status(StatusReader())
      let result = reader.read(bytes)
      let keeps = reader.keepsConnection
      reply = .whole(reader)
      switch result {
      case .needMore: return nil
      case .response(let response): return .answered(response, keeps: keeps)
      case .fault(let fault): return .faulty(fault)
      }
    }
  }

  /// True once anything of a whole response has come.
  var hasBegun: Bool { if case .whole(let reader) = reply { reader.hasBegun } else { false } }

  private var unanswered: Ending { isWritten ? .cutOff : .broken }

  /// How a request ends whose connection has ended.
  private func atEnd(hasFailed: Bool) -> Ending {
    switch reply {
    case .status(let reader):
      if let status = reader.status { return .answered(ClientResponse(status: status), keeps: false) }
    case .whole(var reader):
      guard reader.hasBegun else { break }
      guard !hasFailed, let response = reader.end() else { return .incomplete }
      return .answered(response, keeps: false)
    }
    return hasFailed ? .broken : unanswered
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(atEnd(hasFailed: false))
    let ended = whenIdleEnds
    whenIdleEnds = nil
    ended?()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finish(atEnd(hasFailed: true))
    context.close(promise: nil)
  }

  private func finish(_ ending: Ending) {
    guard let report else { return }
    self.report = nil
    if case .answered(_, keeps: true) = ending {} else { context?.close(promise: nil) }
    report(ending)
  }
}
