import HTTP
import NIOCore
import Network
import Synchronization

/// Gets pictures over HTTP, and over TLS if libcurl is installed; follows redirects, and checks every address that it connects
/// to.
public actor PictureFetcher: PictureFetching {
  static let mostRedirects = 3
  /// Names that may be looked up at the same time; a resolver that hangs isn't given more.
  static let mostLookUps = 16

  /// How long a fetch may take.
  package struct Times: Sendable {
    /// Until the first byte of an answer, from the request or the redirect on.
    package var firstByte = TimeAmount.seconds(5)
    /// In all.
    package var whole = TimeAmount.seconds(15)

    package init() {}
  }

  private nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  private nonisolated let reach: Mutex<PictureReach>
  private let userAgent: String
  private let times: Times
  /// Looks for devices on this host.
  private let findServers: @Sendable () async -> Void
  private let client: HTTPClient
  private let resolver = HostResolver()
  private let secure: SecureFetcher
  private var lastToken = 0
  /// Requests that run, by token.
  private var running: [Int: CheckedContinuation<HTTPClient.Outcome?, Never>] = [:]
  /// Names that are waited for, by token.
  private var lookUps: [Int: CheckedContinuation<[IPAddress], Never>] = [:]
  private var lookUpsRunning = 0

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - userAgent: as in `Vireo/1.0`, without line ends.
  ///   - findServers: looks for devices for a picture on this host, and returns when those that are there have been
  ///     found and told (``setReach(_:)``).
  public init(
    eventLoop: any EventLoop, userAgent: String, findServers: @escaping @Sendable () async -> Void
  ) {
    self.init(
      eventLoop: eventLoop, userAgent: userAgent, times: Times(), secure: SecureFetcher(),
      findServers: findServers)
  }

  init(
    eventLoop: any EventLoop, userAgent: String, times: Times, secure: SecureFetcher,
    findServers: @escaping @Sendable () async -> Void
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    reach = Mutex(PictureReach())
    self.userAgent = userAgent
    self.times = times
    self.secure = secure
    self.findServers = findServers
    var limits = HTTPClientLimits()
    limits.readBytes = 16 * 1024
    limits.keptConnections = 0
    client = HTTPClient(eventLoop: eventLoop, limits: limits)
  }

  /// Which addresses may be connected to from now on.
  public nonisolated func setReach(_ change: (inout PictureReach) -> Void) { reach.withLock { change(&$0) } }

  package func picture(at url: PictureURL, limit: Int) async -> FetchedPicture {
    let deadline = NIODeadline.now() + times.whole
    var url = url
    for _ in 0...Self.mostRedirects {
      let fetch = Fetch(
        url: url, limit: limit, firstByte: min(deadline, .now() + times.firstByte), deadline: deadline)
      let answer = await answer(fetch)
      guard !Task.isCancelled else { return .missing }
      switch answer {
      case .body(let body): return Picture(body).map { .picture($0) } ?? .missing
      case .tooLarge: return limit < Picture.largest ? .tooLarge : .missing
      case .nothing: return .missing
      case .redirect(let location):
        guard let next = url.redirected(to: location) else { return .missing }
        url = next
      }
    }
    return .missing
  }

  /// One request.
  struct Fetch: Sendable {
    var url: PictureURL
    var limit: Int
    /// When something must have come.
    var firstByte: NIODeadline
    /// When all must have come.
    var deadline: NIODeadline
  }

  enum Fetched: Sendable {
    case body(ByteBuffer)
    case redirect(String)
    case tooLarge
    case nothing
  }

  private func answer(_ fetch: Fetch) async -> Fetched {
    if fetch.url.isSecure {
      return await secure.fetch(fetch, reach: reach.withLock { $0 }, userAgent: userAgent)
    }
    guard let address = await address(of: fetch) else { return .nothing }
    let endpoint = HTTPEndpoint(address: address, port: fetch.url.port, interface: nil)
    switch await exchange(fetch, endpoint) {
    case .faulty(.tooLarge): return .tooLarge
    case .answered(let response) where response.status == 200: return .body(response.body)
    case .answered(let response) where [301, 302, 303, 307, 308].contains(response.status):
      return response.fields.first("location").map { .redirect($0) } ?? .nothing
    default: return .nothing
    }
  }

  // MARK: - Addresses

  /// The first address of the host that may be connected to.
  private func address(of fetch: Fetch) async -> IPAddress? {
    let port = fetch.url.port
    let addresses = if let literal = fetch.url.literal { [literal] } else { await lookUp(fetch) }
    let before = reach.withLock { $0 }
    if let address = addresses.first(where: { before.allows($0, port: port) }) { return address }
    guard addresses.contains(where: { before.mayBeServer($0, port: port) }) else { return nil }
    await findServers()
    let after = reach.withLock { $0 }
    return addresses.first { after.allows($0, port: port) }
  }

  private func lookUp(_ fetch: Fetch) async -> [IPAddress] {
    guard lookUpsRunning < Self.mostLookUps else { return [] }
    lookUpsRunning += 1
    lastToken += 1
    let token = lastToken
    let timer = eventLoop.scheduleTask(deadline: fetch.firstByte) {
      self.assumeIsolated { $0.lookUps.removeValue(forKey: token)?.resume(returning: []) }
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { continuation in
      lookUps[token] = continuation
      resolver.lookUp(fetch.url.host) { [eventLoop] addresses in
        eventLoop.execute { self.assumeIsolated { $0.found(addresses, token) } }
      }
    }
  }

  private func found(_ addresses: [IPAddress], _ token: Int) {
    lookUpsRunning -= 1
    lookUps.removeValue(forKey: token)?.resume(returning: addresses)
  }

  // MARK: - Over HTTP

  /// - Returns: nil for a request that was given up.
  private func exchange(_ fetch: Fetch, _ endpoint: HTTPEndpoint) async -> HTTPClient.Outcome? {
    lastToken += 1
    let token = lastToken
    let timers = [
      eventLoop.scheduleTask(deadline: fetch.firstByte) {
        self.assumeIsolated { if !$0.client.hasBegun(token) { $0.giveUp(token) } }
      },
      eventLoop.scheduleTask(deadline: fetch.deadline) { self.assumeIsolated { $0.giveUp(token) } },
    ]
    defer { for timer in timers { timer.cancel() } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: nil) }
        running[token] = continuation
        client.send(
          message(fetch.url), to: endpoint, token: token, wanted: .whole(limit: fetch.limit, hasBody: true),
          isFresh: true
        ) { outcome in
          self.assumeIsolated { $0.running.removeValue(forKey: token)?.resume(returning: outcome) }
        }
      }
    } onCancel: {
      eventLoop.execute { self.assumeIsolated { $0.giveUp(token) } }
    }
  }

  private func message(_ url: PictureURL) -> MessagePieces {
    let text =
      "GET \(url.target) HTTP/1.1\r\nHOST: \(url.authority)\r\nACCEPT: image/*\r\nUSER-AGENT: \(userAgent)\r\n"
      + "CONNECTION: close\r\n\r\n"
    return MessagePieces(first: ByteBuffer(string: text))
  }

  private func giveUp(_ token: Int) {
    guard let continuation = running.removeValue(forKey: token) else { return }
    client.abort(token)
    continuation.resume(returning: nil)
  }
}
