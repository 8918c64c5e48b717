import Glibc
import NIOCore
import NIOPosix

/// Sends event messages, and keeps the connections of those subscribers that do so for a moment: a turned volume knob or
/// a running clock makes many messages. Lives on the event loop of its owner.
final class Notifier {
  private struct Running {
    var connection: SubscriberConnection
    var endpoint: SubscriberEndpoint
    var since: NIODeadline
    /// Called when a kept connection turns out to be of no use; nil on a new one.
    var again: (() -> Void)?
  }

  private let eventLoop: any EventLoop
  private let limits: EventLimits
  /// Deliveries under way, by token; those without a connection yet are in `active` alone.
  private var running: [Int: Running] = [:]
  /// Deliveries that are neither over nor given up.
  private var active: Set<Int> = []
  private var kept: KeptConnections<SubscriberConnection>
  /// Deliveries on kept connections.
  private var reusing: Set<Int> = []
  private var isLooking = false
  private let bootstrap: ClientBootstrap

  init(eventLoop: any EventLoop, limits: EventLimits) {
    self.eventLoop = eventLoop
    self.limits = limits
    kept = KeptConnections(limit: limits.keptConnections, time: .seconds(Int64(limits.keptSeconds)))
    bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(Int64(limits.connectSeconds)))
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024))
  }

  /// Sends `delivery` to the first of its URLs that takes it, and reports how that ended, unless it is aborted.
  func send(_ delivery: EventDelivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
    active.insert(delivery.token)
    attempt(delivery, url: 0, completion: completion)
  }

  /// Gives a delivery up; nothing is reported for it any more.
  func abort(_ token: Int) {
    active.remove(token)
    forget(token)?.connection.close()
  }

  /// Closes the connections that are kept.
  func shutdown() {
    for connection in kept.removeAll() { connection.close() }
  }

  // MARK: - One attempt

  private func attempt(
    _ delivery: EventDelivery, url index: Int, onKept: Bool = true,
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
    if onKept, let connection = kept.take(endpoint) {
      connection.whenIdleEnds = nil
      let again = { [self] in attempt(delivery, url: index, onKept: false, completion: completion) }
      start(delivery.token, connection, endpoint, again: again)
      connection.send(message) { [self] ending in
        ended(ending, delivery, url: index, completion: completion)
      }
    } else {
      let connection = SubscriberConnection()
      start(delivery.token, connection, endpoint, again: nil)
      connection.send(message) { [self] ending in
        ended(ending, delivery, url: index, completion: completion)
      }
      connect(connection, delivery, url: index, completion: completion)
    }
  }

  private func start(
    _ token: Int, _ connection: SubscriberConnection, _ endpoint: SubscriberEndpoint, again: (() -> Void)?
  ) {
    running[token] = Running(connection: connection, endpoint: endpoint, since: .now(), again: again)
    guard again != nil else { return }
    reusing.insert(token)
    look()
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
          // Given up while it was being opened.
          if !onLoop.value.notifier.active.contains(delivery.token) { onLoop.value.connection.close() }
        case .failure(let error):
          // Not at once: a failure in the middle of sending many would otherwise nest as deep as there are many.
          let outcome = Self.outcome(of: error)
          onLoop.eventLoop.execute {
            onLoop.value.notifier.over(outcome, delivery, url: index, completion: completion)
          }
        }
      }
  }

  static func outcome(of error: any Error) -> DeliveryOutcome {
    if case ChannelError.connectTimeout = error { return .timedOut }
    if let error = error as? IOError,
      // Without a route there is no network of ours for a moment; a host that is missing there is EHOSTUNREACH.
      [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, ENETUNREACH, ENETDOWN].contains(error.errnoCode)
    {
      return .notSent
    }
    return .unreachable
  }

  // MARK: - Its end

  private func ended(
    _ ending: SubscriberConnection.Ending, _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    switch ending {
    case .answered(let status, let keeps):
      if let entry = forget(delivery.token), keeps { keep(entry) }
      over(.answered(status), delivery, url: index, completion: completion)
    case .broken:
      // A kept connection may end just when it is needed: that says nothing about the subscriber.
      if let again = forget(delivery.token)?.again { return again() }
      over(.unreachable, delivery, url: index, completion: completion)
    }
  }

  private func over(
    _ outcome: DeliveryOutcome, _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    forget(delivery.token)
    let hasMore = index + 1 < delivery.callbacks.count
    if case .answered = outcome {
    } else if hasMore {
      return attempt(delivery, url: index + 1, completion: completion)
    }
    active.remove(delivery.token)
    completion(outcome)
  }

  @discardableResult
  private func forget(_ token: Int) -> Running? {
    reusing.remove(token)
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

  /// Looks at the clock once a second, as long as a connection is kept or used again.
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
    for token in reusing {
      guard let entry = running[token], now - entry.since >= .seconds(Int64(limits.reuseSeconds))
      else { continue }
      // It reads one message per connection and doesn't say so.
      forget(token)
      entry.connection.close()
      for connection in kept.distrust(entry.endpoint) { connection.close() }
      entry.again?()
    }
    if kept.count > 0 || !reusing.isEmpty { look() }
  }

  /// Head and body, in one piece when the body is small. A large one is shared by all who get it.
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
