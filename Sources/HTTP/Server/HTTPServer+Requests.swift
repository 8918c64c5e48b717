import NIOCore

/// Requests: who answers them, and what is refused before anybody is asked.
extension HTTPServer {
  /// Decides by the head of a request whose body is still to come.
  func decision(on head: RequestHead, from peer: Peer, id: RequestID) -> BodyDecision {
    // One that is too large to be kept is refused for that, whatever else is wrong with it.
    let isTooLarge = (head.bodyBytes ?? 0) > configuration.limits.bodyBytes
    if let refusal = refusalOfHost(head, peer) { return isTooLarge ? .keep : .refuse(refusal) }
    switch claim(head, from: peer, id: id) {
    case .take?: return .take
    case .refuse(let response)?: return .refuse(response)
    case nil where isTooLarge: return .keep
    case nil: return refusal(of: head, from: peer).map { .refuse($0) } ?? .keep
    }
  }

  private func claim(_ head: RequestHead, from peer: Peer, id: RequestID) -> BodyClaim? {
    guard head.method == "POST" || head.method == "PUT" else { return nil }
    for responder in responders {
      if let claim = responder.claim(head, from: peer, id: id) { return claim }
    }
    return nil
  }

  /// Passes on a piece of a body that was claimed.
  func received(_ piece: ByteBuffer, isLast: Bool, of id: RequestID) {
    for responder in responders { responder.received(piece, isLast: isLast, of: id) }
  }

  private func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    for responder in responders where responder.methods(at: head.path)?.contains(head.method) == true {
      return responder.refusal(of: head, from: peer)
    }
    return refusalOfRoute(head, peer)
  }

  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer {
    requestCount += 1
    if let refusal = refusalOfHost(request.head, peer) { return .complete(refusal) }
    // A short body may have come with its head.
    switch claim(request.head, from: peer, id: id) {
    case .take?:
      received(request.body, isLast: true, of: id)
      return .later
    case .refuse(let response)?: return .complete(response)
    case nil: break
    }
    // Which methods there are is asked only when nobody answers: that would be a second look at the path.
    for responder in responders {
      if let answer = responder.respond(to: request, from: peer, id: id) { return answer }
    }
    return .complete(refusalOfRoute(request.head, peer))
  }

  /// Refuses a request that names a wrong host; nil when it is right.
  private func refusalOfHost(_ head: RequestHead, _ peer: Peer) -> HTTPResponse? {
    guard let host = head.host, !accepts(host: host) else { return nil }
    note(.foreignHost, peer)
    let refusal = HTTPResponse.refusal(configuration.foreignHostStatus[head.method] ?? .forbidden)
    guard refusal.status == .forbidden else { return refusal }
    for responder in responders {
      guard var page = responder.explanation(ofForeignHost: head, from: peer) else { continue }
      page.closes = true
      return page
    }
    return refusal
  }

  /// Refuses a path or a method that no responder serves.
  private func refusalOfRoute(_ head: RequestHead, _ peer: Peer) -> HTTPResponse {
    for responder in responders {
      guard let methods = responder.methods(at: head.path) else { continue }
      note(.method, peer)
      guard Self.knownMethods.contains(head.method) || configuration.furtherMethods.contains(head.method)
      else { return HTTPResponse(.notImplemented) }
      return HTTPResponse(.methodNotAllowed, fields: [HTTPField("ALLOW", methods.joined(separator: ", "))])
    }
    note(.notFound, peer)
    return HTTPResponse(.notFound)
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
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "QUERY",
  ]
}
