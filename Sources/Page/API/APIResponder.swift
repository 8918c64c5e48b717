import HTTP
import JSON
import NIOCore
import Synchronization

/// Serves the API: finds the handler of a request, checks the request, and writes the answer.
public final class APIResponder: Responder {
  private struct State: Sendable {
    var handlers: APIHandlers?
    var complete: (@Sendable (RequestID, HTTPResponse) async -> Void)?
    /// What answers that come later wait for.
    var waiting: [RequestID: Task<Void, Never>] = [:]
  }

  private let configuration: PageConfiguration
  private let state = Mutex(State())

  /// Makes a responder that serves nothing before ``start(_:complete:)``.
  public init(configuration: PageConfiguration) { self.configuration = configuration }

  /// Serves from now on.
  ///
  /// - Parameter complete: gives answers that come later: ``HTTPServer/complete(_:with:)``.
  public func start(
    _ handlers: APIHandlers, complete: @escaping @Sendable (RequestID, HTTPResponse) async -> Void
  ) {
    state.withLock {
      $0.handlers = handlers
      $0.complete = complete
    }
  }

  // MARK: - Routes

  /// The route of `path` and the path's parts; nil when it isn't one of the API.
  private func route(_ path: String) -> (route: APIRoute, parts: [Substring])? {
    // This is asked for every request of every protocol.
    guard path.utf8.starts(with: "/api".utf8), configuration.facts.access != .off else { return nil }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    return API.routes.first { $0.matches(parts) }.map { ($0, parts) }
  }

  public func methods(at path: String) -> [String]? {
    guard let route = route(path)?.route else { return nil }
    let methods = route.operations.map(\.method)
    return methods.contains("GET") ? methods + ["HEAD"] : methods
  }

  private static func operation(_ route: APIRoute, _ method: String) -> API.Operation? {
    route.operations.first { $0.method == method || $0.method == "GET" && method == "HEAD" }?.operation
  }

  // MARK: - Refusals

  public func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    refusal(of: head).map { response($0, closes: true) }
  }

  private func refusal(of head: RequestHead, takesPieces: Bool = false) -> Problem? {
    guard head.method != "GET", head.method != "HEAD" else { return nil }
    if let problem = CrossSiteCheck.refusal(of: head) { return problem }
    guard configuration.facts.access == .control || isOfGuests(head) else {
      return Problem(
        "read-only", .forbidden, "Pages may only look here: [page] access is \"view\" in the configuration.")
    }
    return takesPieces ? CrossSiteCheck.refusal(ofFile: head) : CrossSiteCheck.refusal(ofBody: head)
  }

  // MARK: - Bodies in pieces

  public func claim(_ head: RequestHead, from peer: Peer, id: RequestID) -> BodyClaim? {
    guard let (route, parts) = route(head.path), let operation = Self.operation(route, head.method),
      operation.takesPieces
    else { return nil }
    func refused(_ problem: Problem) -> BodyClaim { .refuse(response(problem, closes: true)) }
    if let problem = refusal(of: head, takesPieces: true) { return refused(problem) }
    guard let handlers = state.withLock({ $0.handlers }) else { return refused(.starting) }
    do throws(Problem) {
      let reply = try handlers.perform(operation, path: parts, APIContext(head: head, peer: peer, id: id)) {
        .null
      }
      return switch answer(reply, id, head) {
      case .complete(let response), .streaming(let response): .refuse(response)
      case .later: .take
      }
    } catch {
      return refused(error)
    }
  }

  /// Whether it is what guests of a party do. They may where pages may only look, since a party has limits of its own.
  private func isOfGuests(_ head: RequestHead) -> Bool {
    guard let route = route(head.path)?.route, let operation = Self.operation(route, head.method) else {
      return false
    }
    return PartyControl.operationsOfGuests.contains(operation)
  }

  // MARK: - Answers

  public func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    let head = request.head
    guard let (route, parts) = route(head.path), let operation = Self.operation(route, head.method) else {
      return nil
    }
    if let problem = refusal(of: head) { return .complete(response(problem)) }
    guard let handlers = state.withLock({ $0.handlers }) else {
      return .complete(response(.starting))
    }
    let context = APIContext(head: head, peer: peer, id: id)
    do throws(Problem) {
      return answer(
        try handlers.perform(operation, path: parts, context) { () throws(Problem) in
          try Self.json(request.body)
        }, id, head)
    } catch {
      return .complete(response(error))
    }
  }

  private static func json(_ body: ByteBuffer) throws(Problem) -> JSONValue {
    let result = body.withUnsafeReadableBytes { bytes in
      Result { () throws(JSONError) in try JSONValue(reading: bytes) }
    }
    switch result {
    case .success(let value): return value
    case .failure(let error): throw Problem(error)
    }
  }

  private func answer(_ reply: PendingReply, _ id: RequestID, _ head: RequestHead) -> Answer {
    switch reply {
    case .complete(let response): return .complete(finished(response).compressed(for: head))
    case .problem(let problem): return .complete(response(problem))
    case .answer(.complete(let response)): return .complete(response.compressed(for: head))
    case .answer(let answer): return answer
    case .later(let work):
      // Under the lock, so that the task finds itself among those that are waited for.
      state.withLock { state in
        state.waiting[id] = Task {
          let reply = await work()
          guard self.state.withLock({ $0.waiting.removeValue(forKey: id) }) != nil else { return }
          if case .complete(let response) = self.answer(reply, id, head) {
            await self.state.withLock { $0.complete }?(id, response)
          }
        }
      }
      return .later
    }
  }

  public func abandoned(_ id: RequestID) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.cancel()
  }

  private func finished(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.fields += PageFields.security + [PageFields.uncached]
    return response
  }

  private func response(_ problem: Problem, closes: Bool = false) -> HTTPResponse {
    var response = HTTPResponse(
      problem.status, contentType: "application/problem+json", body: ByteBuffer(bytes: problem.json))
    if let seconds = problem.retryAfter { response.fields.append(HTTPField("RETRY-AFTER", String(seconds))) }
    response.closes = closes
    return finished(response)
  }
}

extension Problem {
  fileprivate static var starting: Problem {
    .unavailable("starting", "The speaker is starting.", retryAfter: 1)
  }

  fileprivate init(_ error: JSONError) {
    let detail =
      switch error.reason {
      case .malformed: "The body isn't JSON, as byte \(error.offset) shows."
      case .encoding: "The body has a text that isn't UTF-8, near byte \(error.offset)."
      case .duplicateName: "The body names a member twice, near byte \(error.offset)."
      case .tooLarge: "The body is too large, or too deep, near byte \(error.offset)."
      }
    self.init(error.reason == .tooLarge ? "too-large" : "malformed", .badRequest, detail)
  }
}
