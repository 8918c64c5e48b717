import NIOCore
import NIOPosix
import Network

/// Sends requests and reads their responses, or only the status of them, on the event loop of its owner.
///
/// It keeps a connection open for a moment if the server does. How long a request may take on a new connection is for its
/// owner to say: ``abort(_:isOverdue:)``. Redirects aren't followed.
package final class HTTPClient {
  /// How a request ended.
  package enum Outcome: Sendable {
    case answered(ClientResponse)
    /// The response can't be read; not for a request that wants only the status.
    case faulty(ResponseFault)
    /// The response began, and the connection ended before it was complete; not for a request that wants only the status.
    case incomplete
    /// The server took the whole request and closed the connection without a valid response.
    case cutOff
    /// The connection was reset, or closed before the whole request was sent.
    case broken
    /// The request was sent on a kept connection and got no response; it may have arrived.
    case unanswered
    /// No connection could be opened.
    case notConnected(any Error)
  }

  package typealias Completion = @Sendable (Outcome) -> Void

  private struct Running {
    var connection: ClientConnection
    var endpoint: HTTPEndpoint
    var since: NIODeadline
    var completion: Completion
    /// On a kept connection.
    var isReusing: Bool
  }

  package let eventLoop: any EventLoop
  private let limits: HTTPClientLimits
  /// Requests by token, including those whose connection is still being opened.
  private var running: [Int: Running] = [:]
  private var kept: IdleConnections<ClientConnection>
  private var isCheckScheduled = false
  private let bootstrap: ClientBootstrap

  package init(eventLoop: any EventLoop, limits: HTTPClientLimits) {
    self.eventLoop = eventLoop
    self.limits = limits
    kept = IdleConnections(limit: limits.keptConnections, time: .seconds(Int64(limits.keptSeconds)))
    bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(Int64(limits.connectSeconds)))
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytes))
  }

  /// False when a request to `endpoint` should ask to close the connection after its response.
  package func mayKeep(_ endpoint: HTTPEndpoint) -> Bool { kept.mayKeep(endpoint) }

  /// Sends `request` on a kept connection, or on a new one; reports the outcome unless it is aborted.
  ///
  /// - Parameters:
  ///   - token: names the request; no other one that runs may have it.
  ///   - isFresh: true to open a connection in any case.
  package func send(
    _ request: MessagePieces, to endpoint: HTTPEndpoint, token: Int, wanted: WantedResponse = .status,
    isFresh: Bool = false, completion: @escaping Completion
  ) {
    let reused = isFresh ? nil : kept.take(endpoint)
    let connection = reused ?? ClientConnection()
    connection.whenIdleEnds = nil
    running[token] = Running(
      connection: connection, endpoint: endpoint, since: .now(), completion: completion,
      isReusing: reused != nil)
    if reused != nil { scheduleCheck() }
    connection.send(request, wanted: wanted) { [self] ending in ended(ending, token) }
    if reused == nil { connect(connection, to: endpoint, token) }
  }

  /// True once anything of the response to a request has come, and after its end.
  package func hasBegun(_ token: Int) -> Bool { running[token]?.connection.hasBegun ?? true }

  /// Gives up a request; its outcome isn't reported.
  ///
  /// - Parameter isOverdue: true when the response takes too long. If that happens on a kept connection, the server gets a
  ///   new one for each request from then on.
  package func abort(_ token: Int, isOverdue: Bool = false) {
    guard let entry = running.removeValue(forKey: token) else { return }
    entry.connection.abandon()
    guard isOverdue, entry.isReusing else { return }
    for connection in kept.distrust(entry.endpoint) { connection.close() }
  }

  /// Closes the kept connections.
  package func closeKept() {
    for connection in kept.removeAll() { connection.close() }
  }

  private func connect(_ connection: ClientConnection, to endpoint: HTTPEndpoint, _ token: Int) {
    let address = endpoint.address.socketAddress(port: endpoint.port, interfaceIndex: endpoint.interface)
    let onLoop = NIOLoopBound((client: self, connection: connection), eventLoop: eventLoop)
    bootstrap
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(onLoop.value.connection)
        }
      }
      .connect(to: address)
      .whenComplete { result in
        let (client, connection) = onLoop.value
        switch result {
        case .success:
          // Given up while the connection was being opened.
          if client.running[token]?.connection !== connection { connection.close() }
        case .failure(let error):
          // In a later turn of the event loop: if many requests fail immediately, the calls would otherwise nest as deep
          // as there are requests.
          onLoop.eventLoop.execute { onLoop.value.client.finish(.notConnected(error), token) }
        }
      }
  }

  private func ended(_ ending: ClientConnection.Ending, _ token: Int) {
    guard let entry = running[token] else { return }
    switch ending {
    case .answered(let response, let keeps):
      running[token] = nil
      if keeps { keep(entry) }
      entry.completion(.answered(response))
    case .faulty(let fault): finish(.faulty(fault), token)
    case .incomplete: finish(.incomplete, token)
    case .cutOff, .broken:
      // A kept connection may close just when it is reused. That says nothing about the server, and its other kept
      // connections have mostly closed, too.
      if entry.isReusing {
        for connection in kept.removeAll(to: entry.endpoint) { connection.close() }
        return unanswered(token)
      }
      finish(ending.isCutOff ? .cutOff : .broken, token)
    }
  }

  /// Reports a request on a kept connection as unanswered; it may have been read, so it isn't sent again.
  private func unanswered(_ token: Int) {
    guard let entry = running.removeValue(forKey: token) else { return }
    // In a later turn of the event loop, to avoid nested calls as above.
    let completion = entry.completion
    eventLoop.execute { completion(.unanswered) }
  }

  private func finish(_ outcome: Outcome, _ token: Int) {
    running.removeValue(forKey: token)?.completion(outcome)
  }

  // MARK: - Kept connections

  private func keep(_ entry: Running) {
    let (connection, endpoint, now) = (entry.connection, entry.endpoint, NIODeadline.now())
    guard now - entry.since < .milliseconds(Int64(limits.promptMilliseconds)),
      kept.keep(connection, to: endpoint, now: now)
    else { return connection.close() }
    connection.whenIdleEnds = { [weak self, weak connection] in
      guard let self, let connection else { return }
      kept.remove(connection, to: endpoint)
    }
    scheduleCheck()
  }

  /// Checks for timeouts once a second, as long as a connection is kept or reused.
  private func scheduleCheck() {
    guard !isCheckScheduled else { return }
    isCheckScheduled = true
    let onLoop = NIOLoopBound(self, eventLoop: eventLoop)
    eventLoop.scheduleTask(in: .seconds(1)) { onLoop.value.checkTimeouts() }
  }

  private func checkTimeouts() {
    isCheckScheduled = false
    let now = NIODeadline.now()
    for connection in kept.expire(now: now) { connection.close() }
    for (token, entry) in running where entry.isReusing {
      guard now - entry.since >= .seconds(Int64(limits.reuseSeconds)) else { continue }
      // The server apparently reads only one request per connection, without saying so.
      entry.connection.abandon()
      for connection in kept.distrust(entry.endpoint) { connection.close() }
      unanswered(token)
    }
    if kept.count > 0 || running.values.contains(where: \.isReusing) { scheduleCheck() }
  }
}

extension ClientConnection.Ending {
  fileprivate var isCutOff: Bool { if case .cutOff = self { true } else { false } }
}
