import HTTP
import NIOCore

/// Serves `/art/KEY`: pictures of other hosts, so that browsers ask nobody but us.
///
/// Nothing is kept: the browser is the cache.
public actor PictureProxy {
  private nonisolated let executor: any SerialExecutor
  private let fetcher: any PictureFetching
  private nonisolated let keys: PictureKeys
  private nonisolated let configuration: PageConfiguration
  private let complete: @Sendable (RequestID, HTTPResponse) -> Void
  private var desk = PictureDesk()
  private var fetches: [String: Task<Void, Never>] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter complete: gives answers that come later; ``HTTPServer/complete(_:with:)``.
  package init(
    eventLoop: any EventLoop, keys: PictureKeys, configuration: PageConfiguration,
    fetcher: any PictureFetching, complete: @escaping @Sendable (RequestID, HTTPResponse) -> Void
  ) {
    executor = eventLoop.executor
    self.keys = keys
    self.configuration = configuration
    self.fetcher = fetcher
    self.complete = complete
  }

  private func answer(_ key: String, _ id: RequestID) -> Answer {
    guard let address = keys.address(behind: key), let url = PictureURL(address) else {
      return .complete(Self.missing)
    }
    switch desk.ask(key, host: url.host, reader: id, now: .now()) {
    case .start:
      start(key)
      return .later
    case .wait: return .later
    case .refuse: return .complete(Self.missing)
    case .busy:
      return .complete(
        HTTPResponse(
          .serviceUnavailable,
          fields: PageFields.security + [PageFields.uncached, HTTPField("RETRY-AFTER", "5")]))
    }
  }

  private func start(_ key: String) {
    guard let address = keys.address(behind: key), let url = PictureURL(address) else {
      return finish(key, nil)
    }
    fetches[key] = Task {
      let picture = await fetcher.picture(at: url)
      // One that was given up may be running again.
      if !Task.isCancelled { finish(key, picture) }
    }
  }

  private func finish(_ key: String, _ picture: Picture?) {
    fetches[key] = nil
    let response = picture.map(Self.response) ?? Self.missing
    for reader in desk.finished(key, hasFailed: picture == nil, now: .now()) { complete(reader, response) }
    startNext()
  }

  private func startNext() {
    for key in desk.next() { start(key) }
  }

  private func left(_ reader: RequestID) {
    guard !desk.isEmpty else { return }
    if let key = desk.left(reader) { fetches.removeValue(forKey: key)?.cancel() }
    startNext()
  }

  private static var missing: HTTPResponse {
    HTTPResponse(.notFound, fields: PageFields.security + [PageFields.uncached])
  }

  private static func response(_ picture: Picture) -> HTTPResponse {
    HTTPResponse(
      .ok, contentType: picture.contentType, body: picture.body,
      fields: PageFields.security + [HTTPField("CACHE-CONTROL", "private, max-age=31536000, immutable")])
  }
}

extension PictureProxy: Responder {
  private static let methods = ["GET", "HEAD"]

  public nonisolated func methods(at path: String) -> [String]? {
    path.hasPrefix(PictureKeys.path) && configuration.facts.access != .off ? Self.methods : nil
  }

  public nonisolated func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    let head = request.head
    guard Self.methods.contains(head.method), methods(at: head.path) != nil else { return nil }
    let key = String(head.path.dropFirst(PictureKeys.path.count))
    return assumeIsolated { $0.answer(key, id) }
  }

  public nonisolated func abandoned(_ id: RequestID) { assumeIsolated { $0.left(id) } }
}
