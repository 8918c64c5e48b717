import NIOCore
import Network

/// One connection of the HTTP server: reads requests, passes them to the host, writes responses, and limits everything.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The bytes to read and discard after a refusal, so that the peer can read the refusal.
  private static let drainedBytes = 1 << 20
  private static let drainTime = TimeAmount.seconds(1)

  let host: DeviceHost
  let limits: HTTPLimits
  private var parser: RequestParser
  var inbox = ByteBuffer()
  var deadline = ConnectionDeadline()
  var id: Int?
  var peer = Peer(remote: .v4(0), local: .v4(0), localPort: 0)

  /// True while nothing more is read, because a response hasn't been taken yet or other connections have their turn.
  var isPaused = false
  var holdsRead = false
  /// The peer has closed its sending side.
  private var isInputClosed = false
  /// The last response is being sent.
  var isClosing = false
  private var drained = 0
  private var isHolding = false
  /// A response that waits for events to its control point, or that is incomplete; the connection is paused meanwhile.
  var heldAnswer: (response: HTTPResponse, head: RequestHead)?
  /// The request that waits for its turn; the connection is paused meanwhile.
  private var waitingRequest: HTTPRequest?
  var awaitsTurn: Bool { waitingRequest != nil }

  init(host: DeviceHost, limits: HTTPLimits) {
    self.host = host
    self.limits = limits
    parser = RequestParser(limits: limits)
  }

  // MARK: - Life

  func channelActive(context: ChannelHandlerContext) {
    guard let remote = context.channel.remoteAddress, let local = context.channel.localAddress,
      let remoteAddress = IPAddress(remote), let localAddress = IPAddress(local)
    else { return context.close(promise: nil) }
    peer = Peer(
      remote: remoteAddress, local: localAddress, localPort: local.port ?? 0,
      scope: local.scopeInterfaceIndex ?? remote.scopeInterfaceIndex)
    let (channel, peer) = (context.channel, peer)
    switch host.assumeIsolated({ $0.admit(channel, peer) }) {
    case .accepted(let id, _):
      self.id = id
      wait(.head, seconds: limits.headSeconds, context)
    case .refused(.foreignAddress), .refused(.unservedAddress):
      isClosing = true
      context.close(promise: nil)
    case .refused:
      send(.refusal(.serviceUnavailable), to: nil, context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline.cancel()
    isClosing = true
    inbox = ByteBuffer()
    waitingRequest = nil
    heldAnswer = nil
    if let id { host.assumeIsolated { $0.closed(id) } }
    id = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
    isInputClosed = true
    if deadline.wait == .closing {
      context.close(promise: nil)
    } else if !isPaused, !isClosing {
      closeBehindResponses(context)
    }
  }

  // MARK: - Reading

  func read(context: ChannelHandlerContext) {
    if isPaused { holdsRead = true } else { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if isClosing {
      drained += bytes.readableBytes
      if drained > Self.drainedBytes { context.close(promise: nil) }
      return
    }
    if inbox.readableBytes == 0 {
      inbox = bytes
    } else {
      if inbox.readerIndex > 8192 { inbox.discardReadBytes() }
      inbox.writeBuffer(&bytes)
    }
    if !isPaused { process(context) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      owe(0)
      if isPaused, heldAnswer == nil, !awaitsTurn {
        enter(parser.isAwaitingHead ? .idle : .receiving)
        resume(context)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  /// Reads what has arrived, and answers it as far as this turn of the event loop has time.
  ///
  /// - Parameter isTurn: True to answer one request regardless of the time.
  func process(_ context: ChannelHandlerContext, isTurn: Bool = false) {
    var served = 0
    while !isClosing, heldAnswer == nil {
      guard context.channel.isWritable else {
        isPaused = true
        enter(.answering)
        return wait(.response, seconds: limits.responseSeconds, context)
      }
      guard let request = nextRequest(context) else { return }
      guard
        isTurn && served == 0 || served < limits.pipelineDepth && host.assumeIsolated({ $0.hasTime() })
      else {
        waitingRequest = request
        return awaitTurn(context)
      }
      answer(request, context)
      served += 1
    }
  }

  /// The next complete request; nil when there is none yet, or none any more.
  private func nextRequest(_ context: ChannelHandlerContext) -> HTTPRequest? {
    if let request = waitingRequest {
      waitingRequest = nil
      return request
    }
    while !isClosing {
      switch parser.next(&inbox) {
      case .needMore:
        waitForMore(context)
        return nil
      case .head(let head): begin(head, context)
      case .request(let request): return request
      case .failure(let status): refuse(status, context)
      }
    }
    return nil
  }

  private func waitForMore(_ context: ChannelHandlerContext) {
    if isInputClosed { return closeBehindResponses(context) }
    let held = inbox.readableBytes + parser.heldBytes
    if held == 0 { inbox = ByteBuffer() }
    if held > 0 || isHolding {
      isHolding = held > 0
      if let id, host.assumeIsolated({ $0.hold(held, by: id) }) {
        return refuse(.serviceUnavailable, context)
      }
    }
    // Absolute deadlines: they don't move while a head or a body trickles in.
    if !parser.isAwaitingHead {
      if deadline.wait != .body { wait(.body, seconds: limits.bodySeconds, context) }
    } else if held > 0 {
      if deadline.wait != .head { wait(.head, seconds: limits.headSeconds, context) }
    } else if deadline.wait != .head {
      wait(.nextRequest, seconds: limits.keepAliveSeconds, context)
    }
  }

  // MARK: - Requests

  /// Handles the head of a request whose body is still arriving.
  private func begin(_ head: RequestHead, _ context: ChannelHandlerContext) {
    let peer = peer
    if let refusal = host.assumeIsolated({ $0.refusal(of: head, from: peer) }) {
      return send(refusal, to: head, closing: true, context)
    }
    enter(.receiving)
    guard head.expectsContinue else { return }
    context.writeAndFlush(
      wrapOutboundOut(ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
  }

  private func answer(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    let (peer, id) = (peer, id)
    let response = host.assumeIsolated { $0.respond(to: request, from: peer, connection: id) }
    if deadline.wait != .nextRequest { wait(.nextRequest, seconds: limits.keepAliveSeconds, context) }
    deadline.extend(to: .now() + .seconds(Int64(limits.keepAliveSeconds)))
    if !response.awaits.isEmpty, let id {
      hold(response, to: request.head, connection: id, context)
    } else {
      deliver(response, to: request.head, context)
    }
  }

  /// Sends the response once the control point has been sent the events of its action.
  private func hold(
    _ response: HTTPResponse, to head: RequestHead, connection: Int, _ context: ChannelHandlerContext
  ) {
    heldAnswer = (response, head)
    isPaused = true
    enter(.answering)
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    host.assumeIsolated {
      $0.holdAnswer(on: connection, until: response.awaits) {
        onLoop.value.handler.release(onLoop.value.context)
      }
    }
  }

  private func release(_ context: ChannelHandlerContext) {
    guard let (response, head) = heldAnswer, context.channel.isActive else { return }
    heldAnswer = nil
    // Sending may make the connection writable again, which would resume it in the middle of this response.
    isPaused = false
    enter(.idle)
    deliver(response, to: head, context)
    resume(context)
  }

  func refuse(_ status: HTTPStatus, _ context: ChannelHandlerContext) {
    let peer = peer
    host.assumeIsolated { $0.refused(status, from: peer) }
    send(.refusal(status), to: nil, context)
  }

  // MARK: - End

  /// Closes a connection whose last response has been sent, and discards what the peer still sends for a moment. Otherwise
  /// closing would reset the connection before the peer has read the response.
  func close(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    if isInputClosed { return context.close(promise: nil) }
    inbox = ByteBuffer()
    parser = RequestParser(limits: limits)
    if let id, isHolding { _ = host.assumeIsolated { $0.hold(0, by: id) } }
    context.close(mode: .output, promise: nil)
    deadline.cancel()
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    deadline.set(.closing, at: .now() + Self.drainTime, on: context.eventLoop) {
      onLoop.value.handler.timerFired(onLoop.value.context)
    }
    if isPaused || holdsRead {
      isPaused = false
      holdsRead = false
      context.read()
    }
  }

  private func closeBehindResponses(_ context: ChannelHandlerContext) {
    isClosing = true
    let onLoop = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
      onLoop.value.close(promise: nil)
    }
  }
}
