import HTTP
import NIOCore
import Services
import Text

/// Serves `/getaa?u=ADDRESS`: the cover of a track that a zone has named, for controllers of the Sonos class.
///
/// What is fetched, and how much of it, is bounded as for the page's pictures.
package struct CoverResponder: Responder {
  package static let path = "/getaa"
  private static let methods = ["GET", "HEAD"]
  /// The cover of a track may change, while its address stays.
  private static let caching = "private, max-age=3600"

  private let keys = PictureKeys()
  private let proxy: PictureProxy
  private let cover: @Sendable (_ uri: String) -> ZoneCover?

  /// - Parameters:
  ///   - cover: the picture of a track; called on the event loop.
  ///   - complete: as of ``PictureProxy``, of the server that this is served by.
  package init(
    eventLoop: any EventLoop, fetcher: any PictureFetching,
    cover: @escaping @Sendable (_ uri: String) -> ZoneCover?,
    complete: @escaping @Sendable (RequestID, HTTPResponse) -> Void
  ) {
    self.cover = cover
    proxy = PictureProxy(
      eventLoop: eventLoop, keys: keys, configuration: PageConfiguration(), fetcher: fetcher,
      caching: Self.caching, complete: complete)
  }

  package func methods(at path: String) -> [String]? { path == Self.path ? Self.methods : nil }

  package func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    guard serves(request.head) else { return nil }
    let path: String? =
      switch Self.track(in: request.head.query ?? "").flatMap(cover) {
      case .address(let address): keys.address(of: address)
      case .embedded(let picture): keys.address(of: picture)
      case nil: nil
      }
    return proxy.answer(pictureAt: path, id)
  }

  package func abandoned(_ id: RequestID) { proxy.abandoned(id) }

  private static func track(in query: String) -> String? {
    query.split(separator: "&").first { $0.hasPrefix("u=") }
      .flatMap { PercentEscapes.decoded($0.dropFirst(2)) }
  }
}
