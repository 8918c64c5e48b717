import NIOCore

/// Turns requests into responses.
extension DeviceHost {
  /// Returns a refusal based on the head of a request whose body is still to come; nil when the body may come.
  func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    if let refusal = routeRefusal(of: head, from: peer) { return refusal }
    guard case .control = routes[head.path] else { return nil }
    do throws(HTTPError) {
      _ = try ControlRoute.action(of: head)
      return nil
    } catch {
      return refuse(error, peer)
    }
  }

  /// Returns a refusal for a wrong host, path or method; nil when there is none.
  private func routeRefusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    if let host = head.host, !accepts(host: host) {
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
    return nil
  }

  func respond(to request: HTTPRequest, from peer: Peer, connection: Int?) -> HTTPResponse {
    counted.requests += 1
    if let connection { enter(.idle, connection: connection) }
    let head = request.head
    if let refusal = routeRefusal(of: head, from: peer) { return refusal }
    switch routes[head.path] {
    case .description(let device):
      let document = routes.description(of: device, address: peer.local, port: peer.localPort)
      return StaticRoute.respond(to: head, with: document)
    case .document(let document): return StaticRoute.respond(to: head, with: document)
    case .page(let page):
      let page = page()
      return HTTPResponse(.ok, contentType: page.contentType, body: ByteBuffer(string: page.body))
    case .control(let service):
      do throws(HTTPError) {
        let started = actionObserver == nil ? nil : NIODeadline.now()
        var (response, fault) = try ControlRoute.respond(to: request, service: service, from: peer)
        if let started { report(head, of: service, fault, since: started) }
        response.awaits = sendEventsToCaller(peer.remote, of: service)
        return response
      } catch {
        return refuse(error, peer)
      }
    case .event(let service): return respond(toSubscriber: head, of: service.key, from: peer)
    case nil: return HTTPResponse(.notFound)
    }
  }

  private func report(
    _ head: RequestHead, of service: HostedService, _ fault: UPnPError?, since started: NIODeadline
  ) {
    let description = service.provider.description
    let index = (try? ControlRoute.action(of: head)).flatMap { description.actionIndex(named: $0.name) }
    actionObserver?(
      ActionRecord(
        service: service.key.name, action: index.map { description.actions[$0].name } ?? "",
        fault: fault?.code, nanoseconds: (NIODeadline.now() - started).nanoseconds))
  }

  private func refuse(_ error: HTTPError, _ peer: Peer) -> HTTPResponse {
    note(error.status == .unsupportedMediaType ? .mediaType : .malformed, peer)
    return HTTPResponse(error.status)
  }

  /// Checks a Host header; almost every request has the same one as the request before.
  private func accepts(host: String) -> Bool {
    if host == acceptedHost { return true }
    guard access.accepts(host: host) else { return false }
    acceptedHost = host
    return true
  }

  /// Standard methods, including unsupported ones, which are answered with 405 instead of 501.
  private static let knownMethods: Set<String> = [
    "GET", "HEAD", "POST", "M-POST", "SUBSCRIBE", "UNSUBSCRIBE", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE",
    "CONNECT", "NOTIFY", "M-SEARCH",
  ]

  /// The status for a foreign Host header, as other UPnP stacks send it.
  private static func foreignHostStatus(_ method: String) -> HTTPStatus {
    switch method {
    case "POST": .preconditionFailed
    case "SUBSCRIBE", "UNSUBSCRIBE": .badRequest
    default: .forbidden
    }
  }
}
