import HTTP
import NIOCore
import UPnP

/// Serves the page: `/`, its files, and what a home screen asks for. Whoever doesn't ask for HTML at `/`, as scripts don't,
/// gets the plain page of `/status`.
public struct PageFiles: Responder {
  private static let methods = ["GET", "HEAD"]
  private static let iconPath = "/favicon.ico"

  private let configuration: PageConfiguration
  private let status: @Sendable () -> HTTPPage
  private let assets = PageAssets()

  /// - Parameters:
  ///   - configuration: if it allows no page, `/` is the plain page, and there is nothing else.
  ///   - status: the plain page.
  public init(configuration: PageConfiguration, status: @escaping @Sendable () -> HTTPPage) {
    self.configuration = configuration
    self.status = status
  }

  private var isOn: Bool { configuration.facts.access != .off }
  private var name: String { configuration.facts.name }

  public func methods(at path: String) -> [String]? {
    let isServed =
      switch path {
      case "/": true
      case PageManifest.path, Self.iconPath: isOn
      default: path.hasPrefix("/ui/") && isOn && assets.asset(at: path) != nil
      }
    return isServed ? Self.methods : nil
  }

  public func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    let head = request.head
    guard Self.methods.contains(head.method), methods(at: head.path) != nil else { return nil }
    switch head.path {
    case "/": return .complete(root(head))
    case PageManifest.path:
      let manifest = ByteBuffer(bytes: PageManifest(name: name, base: assets.base).json)
      return .complete(checked("application/manifest+json", manifest, head))
    case Self.iconPath:
      return PageAsset.named("icon-48.png").map { .complete(assets.response($0, to: head)) }
    default: return assets.asset(at: head.path).map { .complete(assets.response($0, to: head)) }
    }
  }

  public func explanation(ofForeignHost head: RequestHead, from peer: Peer) -> HTTPResponse? {
    guard isOn, Self.methods.contains(head.method), head.wantsHTML else { return nil }
    return HostExplanation.response(to: head, from: peer)
  }

  private func root(_ head: RequestHead) -> HTTPResponse {
    guard isOn, head.wantsHTML else {
      let page = status()
      return HTTPResponse(
        .ok, contentType: page.contentType, body: ByteBuffer(string: page.body),
        fields: [HTTPField("CACHE-CONTROL", "no-cache"), HTTPField("VARY", "Accept")])
    }
    return checked(
      "text/html; charset=utf-8", ByteBuffer(string: PageShell.html(name: name, base: assets.base)), head)
  }

  /// A document that browsers keep, and ask for again each time.
  private func checked(_ contentType: String, _ body: ByteBuffer, _ head: RequestHead) -> HTTPResponse {
    let etag = "\"\(Fingerprint(body.readableBytesView).text)\""
    var fields = PageFields.document(for: head, ancestors: configuration.facts.frameAncestors)
    fields.append(HTTPField("CACHE-CONTROL", "no-cache"))
    fields.append(HTTPField("VARY", "Accept, Accept-Encoding"))
    // Weak, since it is the same compressed and not.
    fields.append(HTTPField("ETAG", "W/\(etag)"))
    if head.has(etag) { return HTTPResponse(.notModified, fields: fields) }
    guard Gzip.isWanted(by: head), let compressed = Gzip.compressed(body, level: 6) else {
      return HTTPResponse(.ok, contentType: contentType, body: body, fields: fields)
    }
    fields.append(HTTPField("CONTENT-ENCODING", "gzip"))
    return HTTPResponse(.ok, contentType: contentType, body: compressed, fields: fields)
  }
}

extension RequestHead {
  /// True for what browsers send when somebody opens an address.
  var wantsHTML: Bool {
    fields.all("accept").contains { value in
      value.lowercased().split(separator: ",").contains { range in
        range.split(separator: ";").first.map { $0.filter { $0 != " " } } == "text/html"
      }
    }
  }
}
