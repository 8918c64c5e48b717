import HTTP
import NIOCore

/// Sends requests to other devices and reads their responses, within bounds: the one way by which a control point reaches
/// devices.
///
/// Redirects aren't followed. A connection stays open for some seconds if the device allows it.
public actor HTTPExchange {
  private struct Running {
    var request: ExchangeRequest
    var address: ServiceAddress
    var limit: Int
    var deadline: Scheduled<Void>
    var continuation: CheckedContinuation<Result<ClientResponse, ActionFailure>, Never>
    /// It has its turn.
    var isStarted = false
    var isRepeated = false
  }

  package nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  private let userAgent: String
  private let client: HTTPClient
  private var turns: ExchangeTurns
  private var running: [Int: Running] = [:]
  private var nextToken = 0

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes an exchange that runs on `eventLoop`, a loop of NIOPosix.
  ///
  /// - Parameter userAgent: system and product as in `Linux/6.1 UPnP/1.1 Example/1.0`, without line ends.
  public init(eventLoop: any EventLoop, userAgent: String, limits: ExchangeLimits = ExchangeLimits()) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.userAgent = userAgent
    turns = ExchangeTurns(limits: limits)
    var client = HTTPClientLimits()
    client.connectSeconds = limits.connectSeconds
    client.keptConnections = limits.keptConnections
    client.keptSeconds = limits.keptSeconds
    // Browsing a large library takes its time on any connection; the deadline of each request is enough.
    client.promptMilliseconds = 60_000
    client.reuseSeconds = 60
    client.readBytes = 16 * 1024
    self.client = HTTPClient(eventLoop: eventLoop, limits: client)
  }

  /// Sends `request` and returns the response, whatever its status.
  ///
  /// - Parameters:
  ///   - deadline: the time for all of it, with waiting for other requests to the same device.
  ///   - limit: the longest body of the response, in bytes.
  /// - Throws: ``ActionFailure``, but neither `fault` nor `status`. If the task is cancelled, the connection is closed.
  package func exchange(
    _ request: ExchangeRequest, to address: ServiceAddress, deadline: Duration, limit: Int
  ) async throws(ActionFailure) -> ClientResponse {
    guard !Task.isCancelled else { throw .cancelled }
    guard address.isUsable else { throw .unreachable }
    nextToken += 1
    let token = nextToken
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        begin(token, request, address, deadline, limit, continuation)
      }
    } onCancel: {
      eventLoop.execute { self.assumeIsolated { $0.giveUp(token, .cancelled) } }
    }
    return try result.get()
  }

  /// Closes the connections that wait for further requests.
  public func closeKept() { client.closeKept() }

  private func begin(
    _ token: Int, _ request: ExchangeRequest, _ address: ServiceAddress, _ deadline: Duration, _ limit: Int,
    _ continuation: CheckedContinuation<Result<ClientResponse, ActionFailure>, Never>
  ) {
    let entry = turns.enter(token, address.endpoint)
    guard entry != .refuse else { return continuation.resume(returning: .failure(.unreachable)) }
    let timer = eventLoop.scheduleTask(in: TimeAmount(deadline)) {
      self.assumeIsolated { $0.giveUp(token, .timeout) }
    }
    running[token] = Running(
      request: request, address: address, limit: limit, deadline: timer, continuation: continuation)
    if entry == .start { start(token) }
  }

  private func start(_ token: Int) {
    guard var entry = running[token] else { return }
    entry.isStarted = true
    running[token] = entry
    let endpoint = entry.address.endpoint
    let message = entry.request.message(
      to: entry.address, userAgent: userAgent, closes: !client.mayKeep(endpoint))
    client.send(
      message, to: endpoint, token: token,
      wanted: .whole(limit: entry.limit, hasBody: entry.request.answerHasBody),
      // Many devices (libupnp) close a connection after each response without saying so: what is sent into that moment is
      // lost, and mustn't be sent again.
      isFresh: entry.isRepeated || !entry.request.isRepeatable
    ) { outcome in
      self.assumeIsolated { $0.ended(token, outcome) }
    }
  }

  private func ended(_ token: Int, _ outcome: HTTPClient.Outcome) {
    switch outcome {
    case .answered(let response): finish(token, .success(response))
    case .faulty(.malformed): finish(token, .failure(.malformed))
    case .faulty(.tooLarge): finish(token, .failure(.tooLarge))
    case .unanswered
    where running[token]?.request.isRepeatable == true && running[token]?.isRepeated == false:
      running[token]?.isRepeated = true
      start(token)
    case .cutOff, .broken, .unanswered, .incomplete, .notConnected:
      finish(token, .failure(.unreachable))
    }
  }

  private func giveUp(_ token: Int, _ failure: ActionFailure) {
    client.abort(token, isOverdue: failure == .timeout)
    finish(token, .failure(failure))
  }

  private func finish(_ token: Int, _ result: Result<ClientResponse, ActionFailure>) {
    guard let entry = running.removeValue(forKey: token) else { return }
    entry.deadline.cancel()
    if entry.isStarted {
      for next in turns.leave(entry.address.endpoint) { start(next) }
    } else {
      _ = turns.giveUp(token)
    }
    entry.continuation.resume(returning: result)
  }
}
