import NIOCore

/// Identifies a request on a server, for answers that come later.
public struct RequestID: Sendable, Hashable {
  let connection: Int
  /// The request's number on its connection; an answer to an earlier one is dropped.
  let number: Int
}

/// What a responder answers.
public enum Answer: Sendable {
  /// The whole response, or all but what its ``HTTPResponse/rest`` writes.
  case complete(HTTPResponse)
  /// The head of a response whose body follows piece by piece: ``HTTPServer/write(_:to:)``, ``HTTPServer/end(_:)``. Both
  /// do nothing before the responder has returned. The connection closes behind the response.
  /// Its ``HTTPResponse/length`` says how long the body will be, if that is known.
  case streaming(HTTPResponse)
  /// The response follows later: ``HTTPServer/complete(_:with:)``, which may also be called before the responder returns.
  /// The connection reads nothing meanwhile.
  case later
}

/// What becomes of a body that a responder was asked about by its head.
public enum BodyClaim: Sendable {
  /// It comes in pieces, as long as it may be: ``Responder/received(_:isLast:of:)``. None comes before
  /// ``HTTPServer/want(_:of:)``, and the answer comes later: ``HTTPServer/complete(_:with:)``. Neither has an effect before
  /// the responder has returned.
  case take
  /// It isn't read. The connection closes behind the response.
  case refuse(HTTPResponse)
}

/// Answers the requests for some paths; called on the server's event loop.
///
/// The server has already checked the peer and the host name, and has bounded and timed what it read.
public protocol Responder: Sendable {
  /// The methods that are supported at `path`; nil when nothing is served there.
  func methods(at path: String) -> [String]?

  /// Refuses a request by its head, before its body arrives; nil when the body may come.
  func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse?

  /// Claims the body of a request by its head, to take it in pieces; nil when it is to be kept and the request answered by
  /// ``respond(to:from:id:)``, as usual. Asked for POST and PUT; nothing limits how long the body is
  /// (``RequestHead/bodyBytes``).
  func claim(_ head: RequestHead, from peer: Peer, id: RequestID) -> BodyClaim?

  /// Takes a piece of a body that it has claimed. If the rest doesn't come, ``abandoned(_:)`` says so.
  func received(_ piece: ByteBuffer, isLast: Bool, of id: RequestID)

  /// Answers a request; nil when ``methods(at:)`` doesn't name its method, or nothing is served at its path.
  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer?

  /// Called when an answer that was to come later isn't wanted any more, or the rest of a streaming one.
  func abandoned(_ id: RequestID)

  /// Called when the reader of a streaming answer has taken all that was written, perhaps before the write returns.
  func taken(_ id: RequestID)

  /// Explains to a person with a browser why a request is refused whose Host header names none of our addresses and names;
  /// nil for an answer without a body.
  ///
  /// Such a request may come from a page of a stranger who has lured the browser here, so the answer may tell nothing that
  /// isn't known there.
  func explanation(ofForeignHost head: RequestHead, from peer: Peer) -> HTTPResponse?
}

extension Responder {
  public func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? { nil }
  public func claim(_ head: RequestHead, from peer: Peer, id: RequestID) -> BodyClaim? { nil }
  public func received(_ piece: ByteBuffer, isLast: Bool, of id: RequestID) {}
  public func abandoned(_ id: RequestID) {}
  public func taken(_ id: RequestID) {}
  public func explanation(ofForeignHost head: RequestHead, from peer: Peer) -> HTTPResponse? { nil }

  /// Whether ``methods(at:)`` names the method of `head`.
  package func serves(_ head: RequestHead) -> Bool { methods(at: head.path)?.contains(head.method) == true }
}
