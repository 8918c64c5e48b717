import NIOCore

/// Responses that are built in several turns of the event loop, and requests that wait for a later turn.
extension ConnectionHandler {
  /// Sends a response, either now or once it is complete.
  func deliver(_ response: HTTPResponse, to head: RequestHead, _ context: ChannelHandlerContext) {
    guard !takesTurns(response) else { return finishLater(response, head, context) }
    send(response, to: head, closing: !head.keepsAlive, context)
  }

  /// True for an incomplete response, and for a large one when more requests wait on this connection.
  ///
  /// Many large responses in a row would take as long as an incomplete one.
  private func takesTurns(_ response: HTTPResponse) -> Bool {
    response.rest != nil || (inbox.readableBytes > 0 && response.body.readableBytes > Self.largeAnswer)
  }

  private static let largeAnswer = 32 * 1024

  /// Sends a response once it is complete; until then the connection does nothing else.
  ///
  /// The response counts as owed only when it is sent, as if it had been built at once. So a connection that is taking
  /// its response isn't closed in favour of one whose response is still being built.
  private func finishLater(_ response: HTTPResponse, _ head: RequestHead, _ context: ChannelHandlerContext) {
    isPaused = true
    heldAnswer = (response, head)
    enter(.answering)
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let address = peer.remote
    host.assumeIsolated {
      $0.makeInSteps(for: address) { onLoop.value.handler.takeStep(onLoop.value.context) }
    }
  }

  /// Builds the next piece of the response; returns false after the last one, or when the connection has closed.
  private func takeStep(_ context: ChannelHandlerContext) -> Bool {
    guard var answer = heldAnswer, context.channel.isActive else { return false }
    // Keep only one reference, or each appended piece would copy the whole response.
    heldAnswer = nil
    if answer.response.rest?.write(to: &answer.response.body) == true {
      let length = answer.response.body.readableBytes
      heldAnswer = answer
      if length > limits.unsentResponseBytes { owe(length) }
      return heldAnswer != nil
    }
    answer.response.rest = nil
    // The peer's time starts now, however long building took.
    wait(.nextRequest, seconds: limits.keepAliveSeconds, context)
    // As in ``release(_:)``: sending mustn't resume this connection.
    isPaused = false
    send(answer.response, to: answer.head, closing: !answer.head.keepsAlive, context)
    if context.channel.isWritable { owe(0) }
    enter(.idle)
    resume(context)
    return false
  }

  // MARK: - Requests that wait

  /// Queues the request that has arrived, because this turn has no time for it.
  func awaitTurn(_ context: ChannelHandlerContext) {
    isPaused = true
    enter(.waiting)
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let address = peer.remote
    host.assumeIsolated {
      $0.queueRequest(of: address) { onLoop.value.handler.takeTurn(onLoop.value.context) }
    }
  }

  private func takeTurn(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    goOn(context, isTurn: true)
  }

  func resume(_ context: ChannelHandlerContext) {
    // Another response may have been held back since the call was scheduled, or a request queued.
    guard heldAnswer == nil, !awaitsTurn else { return }
    goOn(context)
  }

  private func goOn(_ context: ChannelHandlerContext, isTurn: Bool = false) {
    isPaused = false
    process(context, isTurn: isTurn)
    if !isPaused, holdsRead {
      holdsRead = false
      context.read()
    }
  }
}
