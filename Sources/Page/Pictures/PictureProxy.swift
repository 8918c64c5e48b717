import HTTP
import NIOCore

/// Serves `/art/KEY`: pictures of other hosts, so that browsers ask nobody but us, and the one inside the file that plays.
///
/// Nothing is kept: the browser is the cache. ``PictureDesk`` bounds what is underway.
public actor PictureProxy {
  private nonisolated let executor: any SerialExecutor
  private let fetcher: any PictureFetching
  private nonisolated let keys: PictureKeys
  private nonisolated let configuration: PageConfiguration
  private let caching: String
  private let complete: @Sendable (RequestID, HTTPResponse) -> Void
  private var desk = PictureDesk()
  private var fetches: [String: Task<Void, Never>] = [:]
  /// Pictures that are being sent, with the number of their readers that haven't taken them.
  private var deliveries: [Int: (bytes: Int, readers: Int)] = [:]
  private var lastDelivery = 0

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - caching: for how long browsers keep pictures: CACHE-CONTROL.
  ///   - complete: gives answers that come later; ``HTTPServer/complete(_:with:)``.
  package init(
    eventLoop: any EventLoop, keys: PictureKeys, configuration: PageConfiguration,
    fetcher: any PictureFetching, caching: String = "private, max-age=31536000, immutable",
    complete: @escaping @Sendable (RequestID, HTTPResponse) -> Void
  ) {
    executor = eventLoop.executor
    self.keys = keys
    self.configuration = configuration
    self.fetcher = fetcher
    self.caching = caching
    self.complete = complete
  }

  private func answer(_ key: String, _ id: RequestID) -> Answer {
    if let picture = keys.embedded(behind: key) { return .complete(response(picture)) }
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
      return finish(key, .missing)
    }
    let limit = desk.limit(of: key)
    fetches[key] = Task {
      let picture = await fetcher.picture(at: url, limit: limit)
      // One that was given up may be running again.
      if !Task.isCancelled { finish(key, picture) }
    }
  }

  private func finish(_ key: String, _ fetched: FetchedPicture) {
    fetches[key] = nil
    switch fetched {
    case .picture(let picture): deliver(picture, key)
    case .tooLarge: desk.exceeded(key)
    case .missing:
      for reader in desk.finished(key, bytes: nil, now: .now()) { complete(reader, Self.missing) }
    }
    startNext()
  }

  private func deliver(_ picture: Picture, _ key: String) {
    let bytes = picture.body.readableBytes
    let readers = desk.finished(key, bytes: bytes, now: .now())
    lastDelivery += 1
    let delivery = lastDelivery
    deliveries[delivery] = (bytes, readers.count)
    var response = response(picture)
    response.whenSent = { [weak self] _ in self?.assumeIsolated { $0.taken(delivery) } }
    for reader in readers { complete(reader, response) }
  }

  /// A reader has taken a picture, or has gone.
  private func taken(_ delivery: Int) {
    deliveries[delivery]?.readers -= 1
    guard let known = deliveries[delivery], known.readers <= 0 else { return }
    deliveries[delivery] = nil
    desk.taken(known.bytes)
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

  private func response(_ picture: Picture) -> HTTPResponse {
    HTTPResponse(
      .ok, contentType: picture.contentType, body: picture.body,
      fields: PageFields.security + [HTTPField("CACHE-CONTROL", caching)])
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
    return answer(pictureAt: head.path, id)
  }

  /// - Parameter path: an address that ``PictureKeys`` has given; nil for a picture that there isn't.
  nonisolated func answer(pictureAt path: String?, _ id: RequestID) -> Answer {
    guard let path else { return .complete(Self.missing) }
    let key = String(path.dropFirst(PictureKeys.path.count))
    return assumeIsolated { $0.answer(key, id) }
  }

  public nonisolated func abandoned(_ id: RequestID) { assumeIsolated { $0.left(id) } }
}
