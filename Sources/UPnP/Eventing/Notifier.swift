import Glibc
import HTTP
import NIOCore

/// Sends event messages, on the event loop of its owner.
///
/// A turned volume knob or a running clock causes many messages, so the client keeps connections open for a moment.
final class Notifier {
  private let client: HTTPClient
  /// Deliveries that are neither finished nor given up.
  private var active: Set<Int> = []

  init(eventLoop: any EventLoop, limits: EventLimits) {
    client = HTTPClient(eventLoop: eventLoop, limits: limits.client)
  }

  /// Sends `delivery` to the first of its URLs that accepts a connection; reports the outcome unless it is aborted.
  func send(_ delivery: EventDelivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
    active.insert(delivery.token)
    attempt(delivery, url: 0, completion: completion)
  }

  /// Gives up a delivery; its outcome isn't reported.
  func abort(_ token: Int) {
    active.remove(token)
    client.abort(token)
  }

  /// Closes the kept connections.
  func closeKept() { client.closeKept() }

  private func attempt(
    _ delivery: EventDelivery, url index: Int, completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard delivery.callbacks.indices.contains(index) else {
      return over(.unreachable, delivery, completion: completion)
    }
    let url = delivery.callbacks[index]
    let endpoint = HTTPEndpoint(address: url.address, port: url.port, interface: delivery.interface)
    let message = Self.message(delivery, url: url, closes: delivery.closes || !client.mayKeep(endpoint))
    let onLoop = NIOLoopBound(self, eventLoop: client.eventLoop)
    client.send(message, to: endpoint, token: delivery.token, isFresh: delivery.closes) { outcome in
      onLoop.value.ended(outcome, delivery, url: index, completion: completion)
    }
  }

  private func ended(
    _ outcome: HTTPClient.Outcome, _ delivery: EventDelivery, url index: Int,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    guard active.contains(delivery.token) else { return }
    switch outcome {
    case .answered(let response): over(.answered(response.status), delivery, completion: completion)
    // A message that has arrived at one URL isn't sent to another.
    case .cutOff, .faulty, .incomplete: over(.cutOff, delivery, completion: completion)
    case .broken: over(.unreachable, delivery, completion: completion)
    case .unanswered: over(.unanswered, delivery, completion: completion)
    case .notConnected where index + 1 < delivery.callbacks.count:
      attempt(delivery, url: index + 1, completion: completion)
    case .notConnected(let error): over(Self.outcome(of: error), delivery, completion: completion)
    }
  }

  private func over(
    _ outcome: DeliveryOutcome, _ delivery: EventDelivery,
    completion: @escaping @Sendable (DeliveryOutcome) -> Void
  ) {
    active.remove(delivery.token)
    completion(outcome)
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
    message.writeString(delivery.sidFormat.text(delivery.sid))
    message.writeStaticString("\r\nSEQ: ")
    message.writeInteger(text: Int(delivery.sequence))
    message.writeString(delivery.fields)
    if closes { message.writeStaticString("\r\nCONNECTION: close") }
    message.writeStaticString("\r\n\r\n")
    guard copies else { return MessagePieces(first: message, second: delivery.body) }
    message.writeImmutableBuffer(delivery.body)
    return MessagePieces(first: message)
  }
}
