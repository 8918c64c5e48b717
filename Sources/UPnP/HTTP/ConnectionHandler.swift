import NIOCore

/// One connection of the HTTP server: bytes in, requests to the host, responses out, with a bound on everything.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How much is read and thrown away behind a refusal, so that the peer gets to read it.
  private static let drainedBytes = 1 << 20
  private static let drainTime = TimeAmount.seconds(1)

  private let host: DeviceHost
  private let limits: HTTPLimits
  private var parser: RequestParser
  private var inbox = ByteBuffer()
  private var deadline = ConnectionDeadline()
  private var id: Int?
  private var peer = Peer(remote: .v4(0), local: .v4(0), localPort: 0)

  /// Nothing more is read while a response hasn't been taken, or others have their turn.
  private var isPaused = false
  private var holdsRead = false
  /// The peer sends no more.
  private var isInputClosed = false
  /// The last response is on its way.
  private var isClosing = false
  private var drained = 0
  private var isHolding = false

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
    peer = Peer(remote: remoteAddress, local: localAddress, localPort: local.port ?? 0)
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
      if isPaused {
        enter(parser.isAwaitingHead ? .idle : .receiving)
        resume(context)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  private func resume(_ context: ChannelHandlerContext) {
    isPaused = false
    process(context)
    if !isPaused, holdsRead {
      holdsRead = false
      context.read()
    }
  }

  private func process(_ context: ChannelHandlerContext) {
    var served = 0
    while !isClosing {
      guard context.channel.isWritable else {
        isPaused = true
        enter(.answering)
        return wait(.response, seconds: limits.responseSeconds, context)
      }
      guard served < limits.pipelineDepth || inbox.readableBytes == 0 else {
        isPaused = true
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        return context.eventLoop.execute { handler.value.resume(context.value) }
      }
      switch parser.next(&inbox) {
      case .needMore: return waitForMore(context)
      case .head(let head): begin(head, context)
      case .request(let request):
        answer(request, context)
        served += 1
      case .failure(let status): refuse(status, context)
      }
    }
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

  /// The head of a request whose body is still on its way.
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
    send(response, to: request.head, closing: !request.head.keepsAlive, context)
  }

  private func refuse(_ status: HTTPStatus, _ context: ChannelHandlerContext) {
    let peer = peer
    host.assumeIsolated { $0.refused(status, from: peer) }
    send(.refusal(status), to: nil, context)
  }

  // MARK: - Writing

  /// Sends a response; `head` is nil when the request couldn't be understood.
  private func send(
    _ response: HTTPResponse, to head: RequestHead?, closing: Bool = false, _ context: ChannelHandlerContext
  ) {
    var response = response
    response.closes = response.closes || closing
    let isOld = head?.minorVersion == 0
    let stamp = host.assumeIsolated { $0.stampLines() }
    let parts = response.serialized(
      allocator: context.channel.allocator, withoutBody: head?.method == "HEAD", keepsAliveOld: isOld,
      stamp: stamp)
    let promise = flushed(response, context)
    if let second = parts.second {
      context.write(wrapOutboundOut(parts.first), promise: nil)
      context.writeAndFlush(wrapOutboundOut(second), promise: promise)
    } else {
      context.writeAndFlush(wrapOutboundOut(parts.first), promise: promise)
    }
    if response.closes { isClosing = true }
    if !context.channel.isWritable { owe(parts.first.readableBytes + (parts.second?.readableBytes ?? 0)) }
  }

  /// What has to be done once a response has left.
  private func flushed(_ response: HTTPResponse, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>?
  {
    guard response.closes || response.subscription != nil else { return nil }
    let promise = context.eventLoop.makePromise(of: Void.self)
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let host = host
    promise.futureResult.whenComplete { result in
      if let sid = response.subscription {
        let hasLeft = if case .success = result { true } else { false }
        host.assumeIsolated { $0.subscriptionAnswered(sid, hasLeft: hasLeft) }
      }
      if response.closes { onLoop.value.handler.close(onLoop.value.context) }
    }
    if response.closes { wait(.response, seconds: limits.responseSeconds, context) }
    return promise
  }

  /// Ends a connection whose last response has left. What the peer still sends is thrown away for a moment,
  /// since closing on it would reset the connection before the peer has read the response.
  private func close(_ context: ChannelHandlerContext) {
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

  // MARK: - Time

  private func wait(_ wait: ConnectionDeadline.Wait, seconds: Int, _ context: ChannelHandlerContext) {
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    deadline.set(wait, at: .now() + .seconds(Int64(seconds)), on: context.eventLoop) {
      onLoop.value.handler.timerFired(onLoop.value.context)
    }
  }

  private func timerFired(_ context: ChannelHandlerContext) {
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let isReached = deadline.isReached(on: context.eventLoop) {
      onLoop.value.handler.timerFired(onLoop.value.context)
    }
    guard isReached, context.channel.isActive else { return }
    switch deadline.wait {
    case .head where inbox.readableBytes > 0, .body: refuse(.requestTimeout, context)
    case .response:
      let peer = peer
      host.assumeIsolated { $0.refused(.requestTimeout, from: peer) }
      context.close(promise: nil)
    case .head, .nextRequest, .closing: context.close(promise: nil)
    }
  }

  private func owe(_ bytes: Int) {
    if let id { host.assumeIsolated { $0.owe(bytes, to: id) } }
  }

  private func enter(_ phase: ConnectionTable.Phase) {
    if let id { host.assumeIsolated { $0.enter(phase, connection: id) } }
  }
}
