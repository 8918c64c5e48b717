import Glibc
import NIOCore
import NIOPosix

/// Sends event messages: one connection each, closed behind the answer. Lives on the event loop of its owner.
final class Notifier {
  private let eventLoop: any EventLoop
  /// Connections under way, by delivery token.
  private var channels: [Int: Channel] = [:]
  /// Deliveries that are neither over nor given up.
  private var active: Set<Int> = []
  private let bootstrap: ClientBootstrap

  init(eventLoop: any EventLoop, limits: EventLimits) {
    self.eventLoop = eventLoop
    bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(Int64(limits.connectSeconds)))
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
    channels.removeValue(forKey: token)?.close(promise: nil)
  }

  private func attempt(
    _ delivery: EventDelivery, url index: Int, completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    guard delivery.callbacks.indices.contains(index) else {
      active.remove(delivery.token)
      return completion(.unreachable)
    }
    let url = delivery.callbacks[index]
    let answer = eventLoop.makePromise(of: DeliveryOutcome.self)
    let head = Self.head(delivery, url: url)
    let body = delivery.body
    let address = url.address.socketAddress(port: url.port, interfaceIndex: delivery.interface)
    let selfOnLoop = NIOLoopBound(self, eventLoop: eventLoop)
    bootstrap
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NotifyHandler(head: head, body: body, answer: answer))
        }
      }
      .connect(to: address)
      .whenComplete { result in
        switch result {
        case .success(let channel): selfOnLoop.value.opened(channel, delivery.token)
        case .failure(let error):
          // Not at once: a failure in the middle of sending many would otherwise nest as deep as there are many.
          let outcome = Self.outcome(of: error)
          selfOnLoop.eventLoop.execute { answer.succeed(outcome) }
        }
      }
    answer.futureResult.whenSuccess { outcome in
      selfOnLoop.value.answered(outcome, delivery, url: index, completion: completion)
    }
  }

  private static func outcome(of error: any Error) -> DeliveryOutcome {
    if case ChannelError.connectTimeout = error { return .timedOut }
    if let error = error as? IOError,
      [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL].contains(error.errnoCode)
    {
      return .notSent
    }
    return .unreachable
  }

  private func opened(_ channel: Channel, _ token: Int) {
    guard active.contains(token) else { return channel.close(promise: nil) }
    guard channel.isActive else { return }
    channels[token] = channel
  }

  private func answered(
    _ outcome: DeliveryOutcome, _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    channels.removeValue(forKey: delivery.token)
    let hasMore = index + 1 < delivery.callbacks.count
    if case .answered = outcome {
    } else if hasMore {
      return attempt(delivery, url: index + 1, completion: completion)
    }
    active.remove(delivery.token)
    completion(outcome)
  }

  private static func head(_ delivery: EventDelivery, url: CallbackURL) -> ByteBuffer {
    var head = ByteBuffer()
    head.reserveCapacity(320 + url.target.utf8.count)
    head.writeString(
      "NOTIFY \(url.target) HTTP/1.1\r\nHOST: \(url.host)\r\nCONTENT-TYPE: \(HTTPResponse.xmlType)\r\nCONTENT-LENGTH: "
    )
    head.writeInteger(text: delivery.body.readableBytes)
    head.writeStaticString("\r\nNT: upnp:event\r\nNTS: upnp:propchange\r\nSID: ")
    head.writeString(delivery.sid.description)
    head.writeStaticString("\r\nSEQ: ")
    head.writeInteger(text: Int(delivery.sequence))
    head.writeStaticString("\r\nCONNECTION: close\r\n\r\n")
    return head
  }
}
