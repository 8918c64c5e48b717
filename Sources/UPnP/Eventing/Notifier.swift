import Glibc
import NIOCore
import NIOPosix

/// Sends event messages, on the event loop of its owner.
///
/// It keeps a connection open for a moment if the subscriber does, since a turned volume knob or a running clock causes
/// many messages.
final class Notifier {
  private struct Running {
    var connection: SubscriberConnection
    var endpoint: SubscriberEndpoint
    var since: NIODeadline
  }

  private let eventLoop: any EventLoop
  private let limits: EventLimits
  /// Running deliveries by token, including those whose connection is still being opened.
  private var running: [Int: Running] = [:]
  /// Deliveries that are neither finished nor given up.
  private var active: Set<Int> = []
  private var kept: IdleConnections<SubscriberConnection>
  /// Completions of deliveries on kept connections, called when no response comes.
  private var reusing: [Int: @Sendable (DeliveryOutcome) -> Void] = [:]
  private var isLooking = false
  private let bootstrap: ClientBootstrap

  init(eventLoop: any EventLoop, limits: EventLimits) {
    self.eventLoop = eventLoop
    self.limits = limits
    kept = IdleConnections(limit: limits.keptConnections, time: .seconds(Int64(limits.keptSeconds)))
    bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(Int64(limits.connectSeconds)))
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024))
  }

  /// Sends `delivery` to the first of its URLs that accepts a connection; reports the outcome unless it is aborted.
  func send(_ delivery: EventDelivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
    active.insert(delivery.token)
    attempt(delivery, url: 0, completion: completion)
  }

  /// Gives up a delivery; its outcome isn't reported.
  func abort(_ token: Int) {
    active.remove(token)
    forget(token)?.connection.abandon()
  }

  /// Closes the kept connections.
  func closeKept() {
    for connection in kept.removeAll() { connection.close() }
  }

  // MARK: - One attempt

  private func attempt(
    _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    guard delivery.callbacks.indices.contains(index) else {
      active.remove(delivery.token)
      return completion(.unreachable)
    }
    let url = delivery.callbacks[index]
    let endpoint = SubscriberEndpoint(address: url.address, port: url.port, interface: delivery.interface)
    let message = Self.message(delivery, url: url, closes: !kept.mayKeep(endpoint))
    let reused = kept.take(endpoint)
    let connection = reused ?? SubscriberConnection()
    connection.whenIdleEnds = nil
    running[delivery.token] = Running(connection: connection, endpoint: endpoint, since: .now())
    if reused != nil {
      reusing[delivery.token] = completion
      look()
    }
    connection.send(message) { [self] ending in
      ended(ending, delivery, completion: completion)
    }
    if reused == nil { connect(connection, delivery, url: index, completion: completion) }
  }

  private func connect(
    _ connection: SubscriberConnection, _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    let url = delivery.callbacks[index]
    let address = url.address.socketAddress(port: url.port, interfaceIndex: delivery.interface)
    let onLoop = NIOLoopBound((notifier: self, connection: connection), eventLoop: eventLoop)
    bootstrap
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(onLoop.value.connection)
        }
      }
      .connect(to: address)
      .whenComplete { result in
        switch result {
        case .success:
          // Given up while the connection was being opened.
          if !onLoop.value.notifier.active.contains(delivery.token) { onLoop.value.connection.close() }
        case .failure(let error):
          // In a later turn of the event loop: if many messages fail immediately, the calls would otherwise nest as
          // deep as there are messages.
          let outcome = Self.outcome(of: error)
          onLoop.eventLoop.execute {
            onLoop.value.notifier.notConnected(outcome, delivery, url: index, completion: completion)
          }
        }
      }
  }

  static func outcome(of error: any Error) -> DeliveryOutcome {
    if case ChannelError.connectTimeout = error { return .timedOut }
    if let error = error as? IOError,
      // ENETUNREACH means that our own network is down for now; for a missing host it would be EHOSTUNREACH.
      [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, ENETUNREACH, ENETDOWN].contains(error.errnoCode)
    {
      return .notSent
    }
    return .unreachable
  }

  // MARK: - Its end

  private func ended(
    _ ending: SubscriberConnection.Ending, _ delivery: EventDelivery,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    let wasTaken = if case .cutOff = ending { true } else { false }
    switch ending {
    case .answered(let status, let keeps):
      if let entry = forget(delivery.token), keeps { keep(entry) }
      over(.answered(status), delivery, completion: completion)
    case .cutOff, .broken:
      // A kept connection may close just when it is reused. That says nothing about the subscriber, and its other kept
      // connections have mostly closed, too.
      if reusing[delivery.token] != nil {
        if let entry = running[delivery.token] {
          for connection in kept.removeAll(to: entry.endpoint) { connection.close() }
        }
        return unanswered(delivery.token)
      }
      // A message that has arrived at one URL isn't sent to another.
      over(wasTaken ? .cutOff : .unreachable, delivery, completion: completion)
    }
  }

  /// Reports a message on a kept connection as unanswered; it may have been read, so it isn't sent again.
  private func unanswered(_ token: Int) {
    let completion = reusing[token]
    forget(token)
    active.remove(token)
    // In a later turn of the event loop, to avoid nested calls as above.
    eventLoop.execute { completion?(.unanswered) }
  }

  /// Tries the next URL after one that accepted no connection.
  private func notConnected(
    _ outcome: DeliveryOutcome, _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token), index + 1 < delivery.callbacks.count else {
      return over(outcome, delivery, completion: completion)
    }
    forget(delivery.token)
    attempt(delivery, url: index + 1, completion: completion)
  }

  private func over(
    _ outcome: DeliveryOutcome, _ delivery: EventDelivery,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    forget(delivery.token)
    active.remove(delivery.token)
    completion(outcome)
  }

  @discardableResult
  private func forget(_ token: Int) -> Running? {
    reusing[token] = nil
    return running.removeValue(forKey: token)
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
    look()
  }

  /// Checks for timeouts once a second, as long as a connection is kept or reused.
  private func look() {
    guard !isLooking else { return }
    isLooking = true
    let onLoop = NIOLoopBound(self, eventLoop: eventLoop)
    eventLoop.scheduleTask(in: .seconds(1)) { onLoop.value.looked() }
  }

  private func looked() {
    isLooking = false
    let now = NIODeadline.now()
    for connection in kept.expire(now: now) { connection.close() }
    for token in reusing.keys {
      guard let entry = running[token], now - entry.since >= .seconds(Int64(limits.reuseSeconds))
      else { continue }
      // The subscriber apparently reads only one message per connection, without saying so.
      entry.connection.abandon()
      for connection in kept.distrust(entry.endpoint) { connection.close() }
      unanswered(token)
    }
    if kept.count > 0 || !reusing.isEmpty { look() }
  }

  /// Returns head and body, in one buffer if the body is small; a large body is shared by all its recipients.
  private static func message(_ delivery: EventDelivery, url: CallbackURL, closes: Bool) -> MessagePieces {
    let copies = delivery.body.readableBytes <= MessagePieces.copiedBody
    var message = ByteBuffer()
    message.reserveCapacity(320 + url.target.utf8.count + (copies ? delivery.body.readableBytes : 0))
    message.writeStaticString("NOTIFY ")
    message.writeString(url.target)
    message.writeStaticString(" HTTP/1.1\r\nHOST: ")
    message.writeString(url.host)
    message.writeStaticString("\r\nCONTENT-TYPE: ")
    message.writeString(HTTPResponse.xmlType)
    message.writeStaticString("\r\nCONTENT-LENGTH: ")
    message.writeInteger(text: delivery.body.readableBytes)
    message.writeStaticString("\r\nNT: upnp:event\r\nNTS: upnp:propchange\r\nSID: ")
    message.writeString(delivery.sid.description)
    message.writeStaticString("\r\nSEQ: ")
    message.writeInteger(text: Int(delivery.sequence))
    if closes { message.writeStaticString("\r\nCONNECTION: close") }
    message.writeStaticString("\r\n\r\n")
    guard copies else { return MessagePieces(first: message, second: delivery.body) }
    message.writeImmutableBuffer(delivery.body)
    return MessagePieces(first: message)
  }
}
