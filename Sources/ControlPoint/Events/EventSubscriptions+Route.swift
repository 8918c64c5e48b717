import HTTP
import NIOCore
import Network
import UPnP

/// The route of event messages: `NOTIFY /gena/TOKEN`.
extension EventSubscriptions: Responder {
  static let prefix = "/gena/"

  /// Also claims tokens that nobody has: a device whose subscription is over is told so by 412.
  public nonisolated func methods(at path: String) -> [String]? {
    path.hasPrefix(Self.prefix) ? ["NOTIFY"] : nil
  }

  public nonisolated func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    assumeIsolated { subscriptions in
      let bytes = head.fields.first("content-length").flatMap { Int($0) } ?? 0
      guard case .failure(let refusal) = subscriptions.admit(head, bytes: bytes, from: peer) else {
        return nil
      }
      return HTTPResponse.refusal(refusal.status)
    }
  }

  public nonisolated func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    guard serves(request.head) else { return nil }
    return assumeIsolated { .complete(HTTPResponse($0.receive(request, from: peer))) }
  }

  private func receive(_ request: HTTPRequest, from peer: Peer) -> HTTPStatus {
    let bytes = request.body.readableBytes
    let (token, head): (String, EventHead)
    switch admit(request.head, bytes: bytes, from: peer) {
    case .success(let admitted): (token, head) = admitted
    case .failure(let refusal): return refusal.status
    }
    let values = EventBody.values(request.body)
    if values == nil {
      logger.debug("an event can't be read", metadata: ["from": "\(peer.remote)", "bytes": "\(bytes)"])
    }
    var verdict = EventSubscription.Verdict.unknown
    step(token) { machine, now in
      let effects: EventSubscription.Effects
      (verdict, effects) = machine.notified(.init(head: head, values: values, bytes: bytes), now: now)
      return effects
    }
    return verdict.status
  }

  /// Checks what can be checked before the body is read. Strangers can't tell an unknown token from a known one.
  private func admit(
    _ head: RequestHead, bytes: Int, from peer: Peer
  ) -> Result<(token: String, head: EventHead), HTTPError> {
    let token = String(head.path.dropFirst(Self.prefix.count))
    guard let service = followed[token], let device = service.location.events?.address else {
      return .failure(HTTPError(status: .preconditionFailed))
    }
    guard EventSenders(device, own: service.path?.own, interfaces: interfaces).contains(peer) else {
      noteRefusal(of: peer, device)
      return .failure(HTTPError(status: .preconditionFailed))
    }
    guard bytes <= limits.bodyBytes else { return .failure(HTTPError(status: .contentTooLarge)) }
    do throws(HTTPError) {
      let head = try EventHead(fields: head.fields)
      let verdict = service.machine.verdict(sid: head.sid, bytes: bytes)
      return verdict == .taken ? .success((token, head)) : .failure(HTTPError(status: verdict.status))
    } catch {
      return .failure(error)
    }
  }

  /// Whoever knows the token is the device, or somebody that it has told: worth a word, once.
  private func noteRefusal(of peer: Peer, _ device: IPAddress) {
    guard refusedSenders.count < Self.maximumRefused, refusedSenders.insert(peer.remote).inserted
    else { return }
    logger.warning("events of the device at \(device) come from \(peer.remote), and are refused")
  }

  private static let maximumRefused = 16
}

extension EventSubscription.Verdict {
  fileprivate var status: HTTPStatus {
    switch self {
    case .taken: .ok
    case .unknown: .preconditionFailed
    case .busy: .serviceUnavailable
    }
  }
}
