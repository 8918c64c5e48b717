import NIOCore
import Network

/// Carries out what ``Connection`` decides, on a channel.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let server: HTTPServer
  var connection: Connection
  /// Nil before the server has accepted the connection, and after its end.
  var id: Int?
  var peer = Peer(remote: .v4(0), local: .v4(0), localPort: 0)
  /// The time; read once for everything that one input causes, and again after a responder's work.
  var now: NIODeadline
  private var alarm = Alarm()
  /// True while actions are carried out. If they cause an input, the running loop handles what follows from it.
  private var isRunning = false
  /// What was last reported to the server's table.
  private var reported = (phase: ConnectionTable.Phase.fresh, requests: 0)

  init(server: HTTPServer, limits: HTTPLimits) {
    self.server = server
    now = .now()
    connection = Connection(limits: limits, now: now)
  }

  // MARK: - Inputs

  func channelActive(context: ChannelHandlerContext) {
    guard let remote = context.channel.remoteAddress, let local = context.channel.localAddress,
      let remoteAddress = IPAddress(remote), let localAddress = IPAddress(local)
    else { return context.close(promise: nil) }
    peer = Peer(
      remote: remoteAddress, local: localAddress, localPort: local.port ?? 0,
      scope: local.scopeInterfaceIndex ?? remote.scopeInterfaceIndex)
    let (channel, peer) = (context.channel, peer)
    switch server.assumeIsolated({ $0.admit(channel, peer) }) {
    case .accepted(let id, _):
      self.id = id
      run(nil, context)
    case .refused(.foreignAddress), .refused(.unservedAddress): run(connection.close(nil), context)
    case .refused: run(connection.refuseConnection(now: now), context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm.cancel()
    if connection.isAwaited { abandon() }
    connection.closed()?.whenSent?(false)
    if let id { server.assumeIsolated { $0.closed(id) } }
    id = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
    let isAwaited = connection.isAwaited
    let action = connection.inputClosed()
    if isAwaited, !connection.isAwaited { abandon() }
    run(action, context)
  }

  func read(context: ChannelHandlerContext) {
    if connection.wantsToRead() { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isAwaited = connection.isAwaited
    let action = connection.received(unwrapInboundIn(data))
    if isAwaited, !connection.isAwaited { abandon() }
    run(action, context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    let goesOn = connection.writabilityChanged(context.channel.isWritable)
    if context.channel.isWritable { noteUnsent(0) }
    if goesOn { run(nil, context) }
    context.fireChannelWritabilityChanged()
  }

  private func timerFired(_ context: ChannelHandlerContext) {
    alarm.fired()
    guard context.channel.isActive else { return }
    now = .now()
    let isStreaming = connection.phase == .streaming
    let action = connection.elapsed(now: now)
    if isStreaming, connection.isClosed { abandon() }
    // Nothing else may move the deadline.
    if let action { run(action, context) } else { setAlarm(context) }
  }

  // MARK: - Actions

  /// Carries out `first`, and then whatever comes next.
  func run(_ first: Connection.Action?, _ context: ChannelHandlerContext) {
    guard !isRunning else {
      if let first { perform(first, context) }
      return
    }
    isRunning = true
    now = .now()
    if let first { perform(first, context) }
    while let action = connection.next(now: now, hasTime: { server.assumeIsolated { $0.hasTime() } }) {
      perform(action, context)
    }
    isRunning = false
    report()
    setAlarm(context)
  }

  private func setAlarm(_ context: ChannelHandlerContext) {
    guard let deadline = connection.deadline?.at, alarm.isLate(for: deadline) else { return }
    let onLoop = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    alarm.set(deadline, on: context.eventLoop) { onLoop.value.handler.timerFired(onLoop.value.context) }
  }

  /// Tells the server's table the phase; each answered request begins a new one.
  private func report() {
    let current = (phase: connection.phase, requests: connection.requests)
    guard let id, current != reported else { return }
    reported = current
    server.assumeIsolated { $0.enter(current.phase, connection: id) }
  }

  func noteUnsent(_ bytes: Int) {
    if let id { server.assumeIsolated { $0.noteUnsent(bytes, to: id) } }
  }

  /// Tells the responders that their answer isn't wanted any more.
  func abandon() {
    guard let id else { return }
    let request = RequestID(connection: id, number: connection.requests)
    server.assumeIsolated { $0.abandoned(request) }
  }
}
