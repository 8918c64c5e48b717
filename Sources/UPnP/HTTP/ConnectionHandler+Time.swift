import NIOCore

/// Deadlines of a connection, and what it reports to the host.
extension ConnectionHandler {
  func wait(_ wait: ConnectionDeadline.Wait, seconds: Int, _ context: ChannelHandlerContext) {
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    deadline.set(wait, at: .now() + .seconds(Int64(seconds)), on: context.eventLoop) {
      onLoop.value.handler.timerFired(onLoop.value.context)
    }
  }

  func timerFired(_ context: ChannelHandlerContext) {
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let isReached = deadline.isReached(on: context.eventLoop) {
      onLoop.value.handler.timerFired(onLoop.value.context)
    }
    guard isReached, context.channel.isActive, heldAnswer?.response.rest == nil else { return }
    // The peer has sent its request in time; the host hasn't had time for it yet.
    if awaitsTurn { return wait(deadline.wait, seconds: 1, context) }
    switch deadline.wait {
    case .head where inbox.readableBytes > 0, .body: refuse(.requestTimeout, context)
    case .response:
      let peer = peer
      host.assumeIsolated { $0.refused(.requestTimeout, from: peer) }
      context.close(promise: nil)
    case .head, .nextRequest, .closing: context.close(promise: nil)
    }
  }

  func owe(_ bytes: Int) {
    if let id { host.assumeIsolated { $0.owe(bytes, to: id) } }
  }

  func enter(_ phase: ConnectionTable.Phase) {
    if let id { host.assumeIsolated { $0.enter(phase, connection: id) } }
  }
}
