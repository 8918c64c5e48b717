import NIOCore

/// Writing responses.
extension ConnectionHandler {
  /// Sends a response; `head` is nil when the request couldn't be parsed.
  func send(
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
    if response.closes { isClosing = true }
    if let second = parts.second {
      context.write(wrapOutboundOut(parts.first), promise: nil)
      context.writeAndFlush(wrapOutboundOut(second), promise: promise)
    } else {
      context.writeAndFlush(wrapOutboundOut(parts.first), promise: promise)
    }
    if !context.channel.isWritable { owe(parts.first.readableBytes + (parts.second?.readableBytes ?? 0)) }
  }

  /// Returns a promise for what has to happen once a response has been sent; nil when there is nothing.
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
}
