import HTTP

/// The route of other devices' events, while the control point runs.
extension MediaControl: Responder {
  private nonisolated var responder: (any Responder)? {
    assumeIsolated { $0.run?.controlPoint.subscriptions }
  }

  public nonisolated func methods(at path: String) -> [String]? {
    path.utf8.starts(with: "/gena/".utf8) ? responder?.methods(at: path) : nil
  }

  public nonisolated func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    responder?.refusal(of: head, from: peer)
  }

  public nonisolated func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    responder?.respond(to: request, from: peer, id: id)
  }
}
