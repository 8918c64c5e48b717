import NIOCore
import Network

/// Serves pages to GET and HEAD.
public struct Pages: Responder {
  private static let methods = ["GET", "HEAD"]
  private let pages: [String: @Sendable () -> HTTPPage]

  /// - Parameter pages: by absolute path.
  public init(_ pages: [String: @Sendable () -> HTTPPage]) { self.pages = pages }

  public func methods(at path: String) -> [String]? { pages[path] == nil ? nil : Self.methods }

  public func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    let head = request.head
    guard Self.methods.contains(head.method), let page = pages[head.path]?() else { return nil }
    return .complete(
      HTTPResponse(.ok, contentType: page.contentType, body: ByteBuffer(string: page.body)))
  }
}
