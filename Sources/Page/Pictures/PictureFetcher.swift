import HTTP
import NIOCore
import Network
import Synchronization

/// Gets pictures over HTTP, and over TLS if libcurl is installed; follows redirects, and checks every address that it connects
/// to.
public actor PictureFetcher: PictureFetching {
  static let mostRedirects = 3
  static let seconds: Int64 = 15

  private nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  private nonisolated let reach: Mutex<PictureReach>
  private let userAgent: String
  private let client: HTTPClient
  private let resolver = HostResolver()
  private let secure = SecureFetcher()
  private var lastToken = 0
  /// Requests that run, by token.
  private var running: [Int: CheckedContinuation<ClientResponse?, Never>] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter userAgent: as in `Vireo/1.0`, without line ends.
  public init(eventLoop: any EventLoop, reach: PictureReach = .init(), userAgent: String) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.reach = Mutex(reach)
    self.userAgent = userAgent
    var limits = HTTPClientLimits()
    limits.readBytes = 16 * 1024
    limits.keptConnections = 0
    client = HTTPClient(eventLoop: eventLoop, limits: limits)
  }

  /// Which addresses may be connected to from now on.
  public nonisolated func setReach(_ change: (inout PictureReach) -> Void) { reach.withLock { change(&$0) } }

  package func picture(at url: PictureURL) async -> Picture? {
    let deadline = NIODeadline.now() + .seconds(Self.seconds)
    var url = url
    for _ in 0...Self.mostRedirects {
      guard let answer = await answer(url, deadline), !Task.isCancelled else { return nil }
      switch answer {
      case .body(let body): return Picture(body)
      case .redirect(let location):
        guard let next = url.redirected(to: location) else { return nil }
        url = next
      }
    }
    return nil
  }

  enum Fetched: Sendable {
    case body(ByteBuffer)
    case redirect(String)
  }

  private func answer(_ url: PictureURL, _ deadline: NIODeadline) async -> Fetched? {
    let reach = reach.withLock { $0 }
    if url.isSecure {
      return await secure.fetch(url, reach: reach, userAgent: userAgent, seconds: Self.left(deadline))
    }
    guard let address = await address(of: url, reach) else { return nil }
    let endpoint = HTTPEndpoint(address: address, port: url.port, interface: nil)
    guard let response = await exchange(url, endpoint, deadline) else { return nil }
    switch response.status {
    case 200: return .body(response.body)
    case 301, 302, 303, 307, 308: return response.fields.first("location").map { .redirect($0) }
    default: return nil
    }
  }

  /// The first address of the host that may be connected to.
  private func address(of url: PictureURL, _ reach: PictureReach) async -> IPAddress? {
    let addresses = if let literal = url.literal { [literal] } else { await resolver.addresses(of: url.host) }
    return addresses.first { reach.allows($0, port: url.port) }
  }

  static func left(_ deadline: NIODeadline) -> Int64 {
    max(1, (deadline - .now()).nanoseconds / 1_000_000_000)
  }

  // MARK: - Over HTTP

  private func exchange(
    _ url: PictureURL, _ endpoint: HTTPEndpoint, _ deadline: NIODeadline
  ) async -> ClientResponse? {
    lastToken += 1
    let token = lastToken
    let timer = eventLoop.scheduleTask(deadline: deadline) { self.assumeIsolated { $0.giveUp(token) } }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: nil) }
        running[token] = continuation
        client.send(
          message(url), to: endpoint, token: token, wanted: .whole(limit: Picture.largest, hasBody: true),
          isFresh: true
        ) { outcome in
          self.assumeIsolated { $0.ended(token, outcome) }
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

  private func ended(_ token: Int, _ outcome: HTTPClient.Outcome) {
    let response: ClientResponse? = if case .answered(let response) = outcome { response } else { nil }
    running.removeValue(forKey: token)?.resume(returning: response)
  }

  private func giveUp(_ token: Int) {
    guard let continuation = running.removeValue(forKey: token) else { return }
    client.abort(token)
    continuation.resume(returning: nil)
  }
}
