import ControlPoint
import HTTP
import Logging
import NIOCore
import Network
import Synchronization
import UPnP

/// A recorded device, for programs on this machine.
final class ReplayServer: Responder {
  /// Subscriptions at the same time.
  static let maximumSubscriptions = 64

  private struct State {
    var script: ReplayScript
    var subscriptions: [String: Task<Void, Never>] = [:]
  }

  private let exchange: HTTPExchange
  private let state: Mutex<State>
  private let server: HTTPServer

  init(_ exchange: HTTPExchange, port: Int) {
    self.exchange = exchange
    state = Mutex(State(script: ReplayScript(Recording(), base: "")))
    var configuration = HTTPConfiguration()
    configuration.port = port
    configuration.ipv6 = false
    // Without interfaces, only this machine is served.
    server = HTTPServer(
      eventLoop: exchange.eventLoop, configuration: configuration,
      logger: Logger(label: "replay") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Starts, and returns the URL of the description.
  func start(_ recording: Recording) async throws -> String {
    let listening = try await server.start([self])
    let base = "http://127.0.0.1:\(listening.port)"
    let script = ReplayScript(recording, base: base)
    state.withLock { $0.script = script }
    return base + (script.start ?? "/")
  }

  func stop() async {
    for task in state.withLock({ Array($0.subscriptions.values) }) { task.cancel() }
    await server.shutdown()
  }

  // MARK: - Responder

  func methods(at path: String) -> [String]? {
    let methods = state.withLock { $0.script.methods(at: path) }
    return methods.isEmpty ? nil : methods.sorted()
  }

  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    guard serves(request.head) else { return nil }
    let head = request.head
    let target = head.path + (head.query.map { "?\($0)" } ?? "")
    switch head.method {
    case "SUBSCRIBE": return subscribe(head, target, from: peer)
    case "UNSUBSCRIBE":
      let sid = head.fields.first("sid") ?? ""
      state.withLock { $0.subscriptions.removeValue(forKey: sid) }?.cancel()
      return .complete(HTTPResponse(.ok))
    default:
      let action = head.fields.first("soapaction") ?? ""
      let outcome = state.withLock { $0.script.answer(head.method, target, action: action) }
      return outcome.map(Self.answer) ?? .complete(HTTPResponse(.notFound))
    }
  }

  /// What was answered; a device that didn't answer doesn't answer now.
  private static func answer(_ outcome: Recording.Outcome) -> Answer {
    switch outcome {
    case .failed("timeout"): return .later
    case .failed: return .complete(.refusal(.serviceUnavailable))
    case .answered(let status, let message):
      var response = HTTPResponse(HTTPStatus(rawValue: status) ?? .internalServerError)
      response.contentType = message.first("content-type")
      response.body = ByteBuffer(bytes: message.body)
      return .complete(response)
    }
  }

  private func subscribe(_ head: RequestHead, _ target: String, from peer: Peer) -> Answer {
    let renewed = head.fields.first("sid")
    let callback = head.fields.first("callback").flatMap { field in
      CallbackURL(field.drop { $0 == "<" || $0 == " " }.prefix { $0 != ">" })
    }
    var random = SystemRandomNumberGenerator()
    let sid = renewed ?? "uuid:replay-\(String(random.next(), radix: 16))"
    guard renewed != nil || callback?.address.unmapped == peer.remote.unmapped else {
      return .complete(HTTPResponse(.preconditionFailed))
    }
    if renewed == nil, let callback {
      let outcome = state.withLock { $0.script.answer(head.method, target) }
      if let outcome {
        guard case .answered(200, _) = outcome else { return Self.answer(outcome) }
      }
      let events = state.withLock { $0.script.events(at: target) }
      let address = ServiceAddress(address: callback.address, port: callback.port, target: callback.target)
      let isTaken = state.withLock { state in
        guard state.subscriptions.count < Self.maximumSubscriptions else { return false }
        state.subscriptions[sid] = Task {
          await Self.send(events, sid, address, exchange)
          self.state.withLock { $0.subscriptions[sid] = nil }
        }
        return true
      }
      guard isTaken else { return .complete(HTTPResponse(.serviceUnavailable)) }
    }
    let timeout = state.withLock { $0.script.timeout(at: target) }
    return .complete(
      HTTPResponse(.ok, fields: [HTTPField("SID", sid), HTTPField("TIMEOUT", timeout)]))
  }

  private static func send(
    _ events: [ReplayScript.Event], _ sid: String, _ address: ServiceAddress, _ exchange: HTTPExchange
  ) async {
    for (number, event) in events.enumerated() {
      // The first one follows the answer to the SUBSCRIBE.
      try? await Task.sleep(for: .milliseconds(max(event.pause, 20)))
      guard !Task.isCancelled else { return }
      let request = ExchangeRequest(
        "NOTIFY",
        fields: [
          HTTPField("NT", "upnp:event"), HTTPField("NTS", "upnp:propchange"), HTTPField("SID", sid),
          HTTPField("SEQ", "\(number)"), HTTPField("CONTENT-TYPE", "text/xml; charset=\"utf-8\""),
        ], body: ByteBuffer(bytes: event.body))
      _ = try? await exchange.exchange(request, to: address, deadline: .seconds(5), limit: 64 * 1024)
    }
  }
}
