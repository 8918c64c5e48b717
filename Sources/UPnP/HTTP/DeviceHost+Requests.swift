import NIOCore

/// From a request to its response.
extension DeviceHost {
  /// What is wrong with a request, judged by its head alone; nil when its body may come.
  func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    if let host = head.host, !access.accepts(host: host) {
      note(.foreignHost, peer)
      return .refusal(Self.foreignHostStatus(head.method))
    }
    guard let route = routes[head.path] else {
      note(.notFound, peer)
      return HTTPResponse(.notFound)
    }
    guard route.methods.contains(head.method) else {
      note(.method, peer)
      guard Self.knownMethods.contains(head.method) else { return HTTPResponse(.notImplemented) }
      return HTTPResponse(
        .methodNotAllowed, fields: [(name: "ALLOW", value: route.methods.joined(separator: ", "))])
    }
    if case .control = route, let refusal = ControlRoute.refusal(of: head) {
      note(refusal.status == .unsupportedMediaType ? .mediaType : .malformed, peer)
      return refusal
    }
    return nil
  }

  func respond(to request: HTTPRequest, from peer: Peer, connection: Int?) -> HTTPResponse {
    counted.requests += 1
    if let connection { enter(.idle, connection: connection) }
    let head = request.head
    if let refusal = refusal(of: head, from: peer) { return refusal }
    switch routes[head.path] {
    case .description(let device):
      let document = routes.description(of: device, address: peer.local, port: peer.localPort)
      return StaticRoute.respond(to: head, with: document)
    case .document(let document): return StaticRoute.respond(to: head, with: document)
    case .page(let page):
      let page = page()
      return HTTPResponse(.ok, contentType: page.contentType, body: ByteBuffer(string: page.body))
    case .control(let service):
      let (response, fault) = ControlRoute.respond(to: request, service: service, from: peer)
      counted.actions += 1
      if fault != nil { counted.faults += 1 }
      return response
    case .event(let service): return respond(toSubscriber: head, of: service.key, from: peer)
    case nil: return HTTPResponse(.notFound)
    }
  }

  /// The methods that exist, whether we have a use for them or not.
  private static let knownMethods: Set<String> = [
    "GET", "HEAD", "POST", "M-POST", "SUBSCRIBE", "UNSUBSCRIBE", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE",
    "CONNECT", "NOTIFY", "M-SEARCH",
  ]

  /// The statuses by which other stacks answer a Host header that isn't theirs.
  private static func foreignHostStatus(_ method: String) -> HTTPStatus {
    switch method {
    case "POST", "M-POST": .preconditionFailed
    case "SUBSCRIBE", "UNSUBSCRIBE": .badRequest
    default: .forbidden
    }
  }
}
