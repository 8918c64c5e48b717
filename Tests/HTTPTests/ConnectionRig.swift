import NIOCore
import Network

@testable import HTTP

/// A connection on a fake clock, with a shell that only notes what it has to do.
final class ConnectionRig {
  var connection: Connection
  var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
  /// What it did: `check /path`, `respond /path`, `send 200`, `refuse 408`, `close timeout` …
  var log: [String] = []
  /// What was passed on of bodies.
  var pieces: [String] = []
  /// What was sent as responses, by the text of their bodies; statuses for those without one.
  var sent: [String] = []
  var hasTime = true
  /// True when the socket is full after each response.
  var fills = false
  /// Of a request's head, before its body.
  var refusal: HTTPResponse?
  /// Paths whose bodies are taken in pieces.
  var taken: Set<String> = []
  /// The bytes of unfinished requests that are too many.
  var mostUnfinished = Int.max
  var answer: (HTTPRequest) -> Answer = { .complete(ConnectionRig.response($0.head.path)) }
  /// Set when the last response was written; ``leave()`` says that it has left.
  private(set) var isLastWritten = false
  private(set) var turns = 0
  private(set) var builds = 0
  private(set) var abandoned = 0

  init(_ change: (inout HTTPLimits) -> Void = { _ in }) {
    var limits = HTTPLimits()
    change(&limits)
    connection = Connection(limits: limits, now: now)
  }

  static func response(_ text: String) -> HTTPResponse {
    HTTPResponse(.ok, contentType: "text/plain", body: ByteBuffer(string: text))
  }

  static func get(_ path: String, _ fields: String = "", version: String = "1.1") -> String {
    "GET \(path) HTTP/\(version)\r\nHost: localhost\r\n\(fields)\r\n"
  }

  var phase: ConnectionTable.Phase { connection.phase }
  var isClosed: Bool { connection.isClosed }
  var isAwaited: Bool { connection.isAwaited }

  /// What was noted since the last call.
  func news() -> [String] {
    defer { log = [] }
    return log
  }

  // MARK: - Inputs

  func receive(_ text: String) { run(connection.received(ByteBuffer(string: text))) }

  func wait(_ time: TimeAmount) {
    now = now + time
    guard let due = connection.deadline?.at, due <= now else { return }
    let isStreaming = connection.phase == .streaming
    let action = connection.elapsed(now: now)
    if isStreaming, connection.isClosed { abandoned += 1 }
    if let action { run(action) }
  }

  func turn() {
    guard turns > 0 else { return }
    turns -= 1
    run(connection.turn())
  }

  func build() {
    guard builds > 0 else { return }
    switch connection.buildNext(now: now) {
    case .none: builds -= 1
    case .more: break
    case .done(let action):
      builds -= 1
      run(action)
    }
  }

  func complete(_ text: String) { run(connection.completed(Self.response(text), now: now)) }

  func want(_ pieces: Int) { run(connection.want(pieces)) }

  func setWritable(_ isWritable: Bool) {
    if connection.writabilityChanged(isWritable) { run(nil) }
  }

  func closeInput() {
    let isAwaited = connection.isAwaited
    let action = connection.inputClosed()
    if isAwaited, !connection.isAwaited { abandoned += 1 }
    run(action)
  }

  /// The last response has left.
  func leave() {
    guard isLastWritten else { return }
    isLastWritten = false
    run(connection.lastSent(now: now))
  }

  /// The channel is gone.
  func disconnect() {
    if connection.isAwaited { abandoned += 1 }
    connection.closed()
  }

  func stream(_ bytes: Int) -> Bool {
    guard let (_, action) = connection.mayStream(bytes, now: now) else { return false }
    guard let action else { return true }
    abandoned += 1
    run(action)
    return false
  }

  func endStream() { run(connection.streamEnded(now: now)) }

  // MARK: - Actions

  func run(_ first: Connection.Action?) {
    if let first { perform(first) }
    let hasTime = hasTime
    while let action = connection.next(now: now, hasTime: { hasTime }) { perform(action) }
  }

  private func perform(_ action: Connection.Action) {
    switch action {
    case .check(let head):
      log.append("check \(head.path)")
      let decision: BodyDecision =
        taken.contains(head.path) ? .take : refusal.map { .refuse($0) } ?? .keep
      follow(connection.checked(decision, expectsContinue: head.expectsContinue, now: now))
    case .deliver(let piece, let isLast):
      pieces.append(String(buffer: piece))
      log.append("piece \(piece.readableBytes)\(isLast ? ", the last" : "")")
    case .respond(let request):
      log.append("respond \(request.head.path)")
      follow(connection.answered(answer(request), now: now))
    case .awaitTurn:
      log.append("wait for a turn")
      turns += 1
    case .awaitSteps:
      log.append("build")
      builds += 1
    case .send(let response, _):
      log.append("send \(response.status.rawValue)\(response.closes ? " and close" : "")")
      send(response)
    case .refuse(let status):
      log.append("refuse \(status.rawValue)")
      send(.refusal(status))
    case .giveUp(let response, _):
      log.append("give up")
      abandoned += 1
      send(response)
    case .sendContinue: log.append("continue")
    case .sendEnd(let isChunked):
      log.append(isChunked ? "end of chunks" : "end")
      isLastWritten = true
    case .noteUnfinished(let bytes):
      log.append("unfinished \(bytes)")
      if bytes > mostUnfinished { follow(connection.overflowed(now: now)) }
    case .read: log.append("read")
    case .closeBehindResponses: log.append("close behind")
    case .closeOutput: log.append("close output")
    case .close(let reason): log.append(reason.map { "close \($0.name)" } ?? "close")
    }
  }

  private func follow(_ action: Connection.Action?) {
    if let action { perform(action) }
  }

  private func send(_ response: HTTPResponse) {
    let text = String(buffer: response.body)
    sent.append(text.isEmpty ? "\(response.status.rawValue)" : text)
    if response.closes, connection.phase != .streaming { isLastWritten = true }
    if fills { connection.writabilityChanged(false) }
  }
}

/// A body that takes `steps` calls.
struct Steps: BodyRest {
  var steps: Int

  mutating func write(to body: inout ByteBuffer) -> Bool {
    steps -= 1
    body.writeString("+")
    return steps > 0
  }
}
