import NIOCore
import Network

/// Serves pages to GET and HEAD.
public struct Pages: Responder {
  private let pages: [String: @Sendable () -> HTTPPage]

  /// - Parameter pages: by absolute path.
  public init(_ pages: [String: @Sendable () -> HTTPPage]) { self.pages = pages }

  public func methods(at path: String) -> [String]? { pages[path] == nil ? nil : ["GET", "HEAD"] }

  public func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer {
    guard let page = pages[request.head.path]?() else { return .complete(HTTPResponse(.notFound)) }
    return .complete(
      HTTPResponse(.ok, contentType: page.contentType, body: ByteBuffer(string: page.body)))
  }
}
