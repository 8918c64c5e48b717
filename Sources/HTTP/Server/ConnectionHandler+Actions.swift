import Glibc
import NIOCore

extension ConnectionHandler {
  // `consuming`, here and where a message is passed on: each copy of one would count a dozen references.
  func perform(_ action: consuming Connection.Action, _ context: ChannelHandlerContext) {
    let peer = peer
    switch consume action {
    case .check(let head): check(head, context)
    case .deliver(let piece, let isLast):
      guard let id else { return }
      let request = RequestID(connection: id, number: connection.requests)
      server.assumeIsolated { $0.received(piece, isLast: isLast, of: request) }
    case .respond(let request): respond(request, context)
    case .awaitTurn:
      let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
      server.assumeIsolated {
        $0.queueRequest(of: peer.remote) { onLoop.value.handler.takeTurn(onLoop.value.context) }
      }
    case .awaitSteps:
      let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
      server.assumeIsolated {
        $0.makeInSteps(for: peer.remote) { onLoop.value.handler.takeStep(onLoop.value.context) }
      }
    case .send(let response, let form): send(response, form, context)
    case .refuse(let status):
      server.assumeIsolated { $0.refused(status, from: peer) }
      send(.refusal(status), ResponseForm(), context)
    case .giveUp(let response, let form):
      abandon()
      if response.status == .requestTimeout {
        server.assumeIsolated { $0.refused(response.status, from: peer) }
      }
      send(response, form, context)
    case .sendContinue:
      let line = ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n")
      context.writeAndFlush(wrapOutboundOut(line), promise: nil)
      connection.writabilityChanged(context.channel.isWritable)
    case .sendEnd(let isChunked):
      let end = isChunked ? ByteBuffer(staticString: "0\r\n\r\n") : ByteBuffer()
      context.writeAndFlush(wrapOutboundOut(end)).whenComplete(lastSent(context))
    case .noteUnfinished(let bytes):
      guard let id, server.assumeIsolated({ $0.noteUnfinished(bytes, by: id) }) else { return }
      follow(connection.overflowed(now: now), context)
    case .read: context.read()
    case .closeBehindResponses:
      let onLoop = NIOLoopBound(context, eventLoop: context.eventLoop)
      context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
        onLoop.value.close(promise: nil)
      }
    case .closeOutput:
      if let id { _ = server.assumeIsolated { $0.noteUnfinished(0, by: id) } }
      context.close(mode: .output, promise: nil)
    case .close(let reason):
      if let reason { server.assumeIsolated { $0.note(reason, peer) } }
      context.close(promise: nil)
    }
  }

  private func follow(_ action: consuming Connection.Action?, _ context: ChannelHandlerContext) {
    if let action = consume action { perform(action, context) }
  }

  private func check(_ head: RequestHead, _ context: ChannelHandlerContext) {
    guard let id else { return }
    // As the request counts once its body is taken.
    let (peer, request) = (peer, RequestID(connection: id, number: connection.requests + 1))
    let decision = server.assumeIsolated { $0.decision(on: head, from: peer, id: request) }
    follow(connection.checked(decision, expectsContinue: head.expectsContinue, now: now), context)
  }

  private func respond(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    guard let id else { return }
    let (peer, number) = (peer, RequestID(connection: id, number: connection.requests))
    let answer = server.assumeIsolated { $0.respond(to: request, from: peer, id: number) }
    now = .now()
    // The early answer is sent, so nothing will be streamed.
    if connection.isAnsweredEarly, case .streaming = answer { server.assumeIsolated { $0.abandoned(number) } }
    // The connection may have closed meanwhile.
    guard connection.isClosed else {
      follow(connection.answered(answer, now: now), context)
      if connection.phase == .streaming { limitSilence(context) }
      return
    }
    switch consume answer {
    case .complete(let response): response.whenSent?(false)
    case .streaming, .later: server.assumeIsolated { $0.abandoned(number) }
    }
  }

  private func send(
    _ response: consuming HTTPResponse, _ form: ResponseForm, _ context: ChannelHandlerContext
  ) {
    let parts = response.serialized(
      allocator: context.channel.allocator, form: form, stamp: server.stampLines())
    let promise = promise(for: response, context)
    if let second = parts.second {
      context.write(wrapOutboundOut(parts.first), promise: nil)
      context.writeAndFlush(wrapOutboundOut(second), promise: promise)
    } else {
      context.writeAndFlush(wrapOutboundOut(parts.first), promise: promise)
    }
    let isWritable = context.channel.isWritable
    connection.writabilityChanged(isWritable)
    if !isWritable { noteUnsent(parts.first.readableBytes + (parts.second?.readableBytes ?? 0)) }
  }

  /// Returns a promise for what has to happen once a response has been sent; nil when there is nothing.
  private func promise(
    for response: HTTPResponse, _ context: ChannelHandlerContext
  ) -> EventLoopPromise<Void>? {
    let isLast = response.closes && connection.phase != .streaming
    guard isLast || response.whenSent != nil else { return nil }
    let promise = context.eventLoop.makePromise(of: Void.self)
    if let whenSent = response.whenSent {
      promise.futureResult.whenComplete { result in
        whenSent((try? result.get()) != nil)
      }
    }
    if isLast { promise.futureResult.whenComplete(lastSent(context)) }
    return promise
  }

  private func lastSent(_ context: ChannelHandlerContext) -> @Sendable (Result<Void, any Error>) -> Void {
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    return { _ in
      let (handler, context) = onLoop.value
      guard context.channel.isActive else { return }
      handler.run(handler.connection.lastSent(now: .now()), context)
    }
  }

  // MARK: - Turns

  private func takeTurn(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    run(connection.turn(), context)
  }

  /// Builds the next piece of the response; returns false after the last one, or when the connection has closed.
  private func takeStep(_ context: ChannelHandlerContext) -> Bool {
    guard context.channel.isActive else { return false }
    switch connection.buildNext(now: .now()) {
    case .none: return false
    case .more(let bytes):
      if bytes > connection.limits.unsentResponseBytes { noteUnsent(bytes) }
      if case .building = connection.state { return true }
      return false
    case .done(let action):
      run(action, context)
      if context.channel.isWritable { noteUnsent(0) }
      return false
    }
  }

  // MARK: - Answers that come later

  /// Sends the answer to request `number`; false when nobody waits for it any more.
  func complete(_ number: Int, with response: HTTPResponse, _ context: ChannelHandlerContext) -> Bool {
    guard number == connection.requests, connection.takesAnswer else { return false }
    run(connection.completed(response, now: .now()), context)
    return true
  }

  /// Takes further pieces of the body of request `number`.
  func want(_ pieces: Int, number: Int, _ context: ChannelHandlerContext) {
    guard number == connection.requests else { return }
    run(connection.want(pieces), context)
  }

  /// Sends a piece of the answer to request `number`; false when nobody waits for it any more.
  func write(_ piece: ByteBuffer, number: Int, _ context: ChannelHandlerContext) -> Bool {
    let bytes = piece.readableBytes
    guard number == connection.requests, let (isChunked, action) = connection.mayStream(bytes, now: .now())
    else { return false }
    if let action {
      abandon()
      run(action, context)
      return false
    }
    // An empty chunk would be the end.
    guard bytes > 0 else { return true }
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    if isChunked {
      let size = ByteBuffer(string: "\(String(bytes, radix: 16))\r\n")
      context.write(wrapOutboundOut(size), promise: nil)
    }
    let written = context.write(wrapOutboundOut(piece))
    written.whenSuccess {
      let (handler, context) = onLoop.value
      handler.connection.taken(bytes, now: .now())
      handler.noteUnsentOfStream()
      handler.run(nil, context)
      handler.tellTaken()
    }
    if isChunked { context.write(wrapOutboundOut(ByteBuffer(staticString: "\r\n")), promise: nil) }
    context.flush()
    noteUnsentOfStream()
    run(nil, context)
    return connection.phase == .streaming
  }

  /// Ends the answer to request `number`.
  func end(_ number: Int, _ context: ChannelHandlerContext) {
    guard number == connection.requests else { return }
    run(connection.streamEnded(now: .now()), context)
  }

  private func tellTaken() {
    guard let id, case .streaming(unsent: 0, _) = connection.state else { return }
    let request = RequestID(connection: id, number: connection.requests)
    server.assumeIsolated { $0.taken(request) }
  }

  /// Ends a stream soon whose reader is gone without a word, as a phone out of reach is: the kernel alone knows what a peer
  /// has acknowledged.
  private func limitSilence(_ context: ChannelHandlerContext) {
    try? context.channel.syncOptions?.setOption(
      ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT)),
      value: connection.readerSeconds * 1000)
  }

  private func noteUnsentOfStream() {
    if case .streaming(let unsent, _) = connection.state { noteUnsent(unsent) }
  }
}
