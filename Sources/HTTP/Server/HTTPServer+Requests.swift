import NIOCore

/// Requests: who answers them, and what is refused before anybody is asked.
extension HTTPServer {
  private enum Route {
    case responder(any Responder)
    case refused(HTTPResponse)
  }

  /// Returns a refusal based on the head of a request whose body is still to come; nil when the body may come.
  func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    switch route(head, peer) {
    case .responder(let responder): responder.refusal(of: head, from: peer)
    case .refused(let refusal): refusal
    }
  }

  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer {
    requestCount += 1
    switch route(request.head, peer) {
    case .responder(let responder): return responder.respond(to: request, from: peer, id: id)
    case .refused(let refusal): return .complete(refusal)
    }
  }

  /// Finds the responder for a path, and refuses a wrong host, path or method.
  private func route(_ head: RequestHead, _ peer: Peer) -> Route {
    if let host = head.host, !accepts(host: host) {
      note(.foreignHost, peer)
      return .refused(.refusal(configuration.foreignHostStatus[head.method] ?? .forbidden))
    }
    for responder in responders {
      guard let methods = responder.methods(at: head.path) else { continue }
      if methods.contains(head.method) { return .responder(responder) }
      note(.method, peer)
      guard Self.knownMethods.contains(head.method) || configuration.furtherMethods.contains(head.method)
      else { return .refused(HTTPResponse(.notImplemented)) }
      return .refused(
        HTTPResponse(.methodNotAllowed, fields: [HTTPField("ALLOW", methods.joined(separator: ", "))]))
    }
    note(.notFound, peer)
    return .refused(HTTPResponse(.notFound))
  }

  /// Checks a Host header; almost every request has the same one as the request before.
  private func accepts(host: String) -> Bool {
    if host == acceptedHost { return true }
    guard access.accepts(host: host) else { return false }
    acceptedHost = host
    return true
  }

  /// HTTP's own methods, including unsupported ones, which are answered with 405 instead of 501.
  private static let knownMethods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
  ]
}
