import NIOCore

/// One connection of the server: reads requests, has them answered one after the other, and keeps the limits.
///
/// A value without its own clock and socket: bytes, turns, answers, what the peer has taken, and the time come in, and
/// actions come out. After each input the caller performs the action that it returned, and then those of
/// ``next(now:hasTime:)`` until there is none.
// Not copyable: each look at the one in the handler would copy it, buffers and all.
struct Connection: ~Copyable {
  /// What the caller has to do.
  enum Action {
    /// Ask whether the body of this request may come, and call ``checked(_:_:now:)``.
    case check(RequestHead)
    /// Have the request answered, and call ``answered(_:now:)``.
    case respond(HTTPRequest)
    /// Call ``turn()`` in a later turn of the event loop.
    case awaitTurn
    /// Call ``buildNext(now:)`` once in each turn of the event loop.
    case awaitSteps
    /// Send a response; when it closes the connection, call ``lastSent(now:)`` afterwards.
    case send(HTTPResponse, ResponseForm)
    /// Count the refusal, and send it like any other response that closes the connection.
    case refuse(HTTPStatus)
    /// Tell the responder that its answer, or the rest of it, isn't wanted any more, and send this one instead.
    case giveUp(HTTPResponse, ResponseForm)
    /// Pass on a piece of a body that is taken in pieces.
    case deliver(ByteBuffer, isLast: Bool)
    /// Tell the peer that the body may come.
    case sendContinue
    /// Send the end of a streaming response, and call ``lastSent(now:)`` afterwards.
    case sendEnd(isChunked: Bool)
    /// Record the bytes of an unfinished request; when they are too many, call ``overflowed(now:)``.
    case noteUnfinished(Int)
    /// Read on: the socket had asked for it.
    case read
    /// Close when all that was written has been sent.
    case closeBehindResponses
    /// Close the sending side.
    case closeOutput
    /// Close at once, and count the reason if there is one.
    case close(RefusalReason?)
  }

  // Cases with a message are rare and indirect, since each look at the state copies it.
  enum State {
    /// Reads requests, and answers them.
    case reading
    /// The caller was asked whether a body may come.
    case checking(ResponseForm)
    /// The body of a request is passed on in pieces, of which so many are wanted.
    case taking(ResponseForm, wanted: Int, awaitsContinue: Bool)
    /// The caller was asked for an answer.
    case responding(ResponseForm)
    /// The answer came before the caller had said that it comes later.
    indirect case answeredEarly(HTTPResponse, ResponseForm)
    /// A complete request waits for its turn.
    indirect case waiting(HTTPRequest)
    /// The answer comes later.
    case pending(ResponseForm)
    /// A response is built in steps.
    indirect case building(HTTPResponse, ResponseForm)
    /// Responses wait for the peer to take them.
    case blocked
    /// The body of a response is sent as its pieces come.
    case streaming(unsent: Int, isChunked: Bool)
    /// The last response is being sent.
    case ending
    /// The sending side is closed. What the peer still sends is dropped, so that it can read the last response.
    case draining
    case closed
  }

  /// The bytes to read and drop after the last response.
  static let drainedBytes = 1 << 20
  static let drainTime = TimeAmount.seconds(1)
  /// A larger response takes turns when more requests wait on this connection: many in a row would take as long as one
  /// that is built in steps.
  static let largeBody = 32 * 1024

  let limits: HTTPLimits
  var state = State.reading
  var parser: RequestParser
  var inbox = ByteBuffer()
  var deadline: ConnectionDeadline?
  /// Requests that the caller was asked to answer.
  var requests = 0
  /// Bytes of a body taken in pieces since its deadline last moved.
  var arrived = 0
  /// Seconds that the reader of a streaming response may take nothing.
  var readerSeconds: Int
  /// Requests answered in a row.
  var served = 0
  /// The bytes of an unfinished request that were last reported.
  private var reportedUnfinished = 0
  private var drained = 0
  private var isWritable = true
  /// The peer has closed its sending side.
  var isInputClosed = false
  /// The socket has asked to read, and ``Action/read`` is still to follow.
  private var isReadPending = false

  init(limits: HTTPLimits, now: NIODeadline) {
    self.limits = limits
    parser = RequestParser(limits: limits)
    readerSeconds = limits.streamSeconds
    wait(.head, limits.headSeconds, now)
  }

  /// The phase in the server's table.
  var phase: ConnectionTable.Phase {
    switch state {
    case .reading, .checking, .responding, .answeredEarly, .ending, .draining, .closed:
      if !parser.isAwaitingHead { return .receiving }
      return requests == 0 ? .fresh : .idle
    case .waiting: return .waiting
    case .pending, .building, .blocked: return .answering
    case .streaming, .taking: return .streaming
    }
  }

  /// True while the responder still has to give its answer, or the rest of one.
  var isAwaited: Bool {
    switch state {
    case .pending, .streaming, .taking: true
    default: false
    }
  }

  var isClosed: Bool { if case .closed = state { true } else { false } }

  // MARK: - Bytes and requests

  /// Refuses the connection itself.
  mutating func refuseConnection(now: NIODeadline) -> Action {
    send(.refusal(.serviceUnavailable), ResponseForm(), closing: true, now)
  }

  /// Takes bytes of the peer.
  mutating func received(_ bytes: ByteBuffer) -> Action? {
    switch state {
    case .closed: return nil
    case .ending, .draining, .streaming:
      drained += bytes.readableBytes
      return drained > Self.drainedBytes ? close(nil) : nil
    case .reading, .checking, .taking, .responding, .answeredEarly, .waiting, .pending, .building, .blocked:
      served = 0
      guard inbox.readableBytes > 0 else {
        inbox = bytes
        return nil
      }
      if inbox.readerIndex > 8192 { inbox.discardReadBytes() }
      inbox.writeImmutableBuffer(bytes)
      return nil
    }
  }

  /// Returns what to do next; nil when there is nothing to do before the next input.
  ///
  /// - Parameter hasTime: asked when a request is complete; false when it has to wait for a later turn.
  mutating func next(now: NIODeadline, hasTime: () -> Bool) -> Action? {
    switch state {
    case .reading: break
    case .taking(_, let wanted, _): return wanted > 0 ? nextPiece(now) ?? readOn() : nil
    case .streaming, .ending, .draining: return readOn()
    case .checking, .responding, .answeredEarly, .waiting, .pending, .building, .blocked, .closed: return nil
    }
    guard isWritable else {
      state = .blocked
      wait(.response, limits.responseSeconds, now)
      return nil
    }
    switch parser.next(&inbox) {
    case .needMore: return waitForMore(now)
    case .head(let head):
      state = .checking(ResponseForm(head))
      return .check(head)
    case .request(let request):
      guard served < limits.pipelineDepth, hasTime() else {
        state = .waiting(request)
        return .awaitTurn
      }
      return respond(request)
    case .failure(let status): return refuse(status, now)
    }
  }

  /// Answers the request that has waited for its turn.
  mutating func turn() -> Action? {
    guard case .waiting(let request) = state else { return nil }
    served = 0
    return respond(request)
  }

  private mutating func respond(_ request: HTTPRequest) -> Action {
    requests += 1
    served += 1
    state = .responding(ResponseForm(request.head))
    return .respond(request)
  }

  private mutating func waitForMore(_ now: NIODeadline) -> Action? {
    if isInputClosed {
      state = .ending
      return .closeBehindResponses
    }
    let bytes = inbox.readableBytes + parser.heldBytes
    if bytes == 0 { inbox = ByteBuffer() }
    // Absolute deadlines: they don't move while a head or a body trickles in.
    if !parser.isAwaitingHead {
      if deadline?.wait != .body { wait(.body, limits.bodySeconds, now) }
    } else if bytes > 0 {
      if deadline?.wait != .head { wait(.head, limits.headSeconds, now) }
    } else if deadline?.wait != .head {
      wait(.nextRequest, limits.keepAliveSeconds, now)
    }
    guard bytes == reportedUnfinished else {
      reportedUnfinished = bytes
      return .noteUnfinished(bytes)
    }
    return readOn()
  }

  mutating func readOn() -> Action? {
    guard isReadPending else { return nil }
    isReadPending = false
    return .read
  }

  /// Takes the decision what becomes of the body of a request.
  mutating func checked(_ decision: BodyDecision, expectsContinue: Bool, now: NIODeadline) -> Action? {
    guard case .checking(let form) = state else { return nil }
    state = .reading
    switch decision {
    // One that is too large is refused next.
    case .keep: return expectsContinue && !parser.isTooLarge ? .sendContinue : nil
    case .refuse(let refusal): return send(refusal, form, closing: true, now)
    case .take: return take(form, expectsContinue: expectsContinue, now)
    }
  }

  /// Closes a connection whose unfinished request is too much for the server.
  mutating func overflowed(now: NIODeadline) -> Action? { refuse(.serviceUnavailable, now) }

  func mayRead() -> Bool {
    switch state {
    case .reading, .checking, .responding, .answeredEarly, .streaming, .ending, .draining, .closed: true
    case .taking(_, let wanted, _): wanted > 0
    case .waiting, .pending, .building, .blocked: false
    }
  }

  /// The socket asks whether it may read; if not, ``Action/read`` follows later.
  mutating func wantsToRead() -> Bool {
    let mayRead = mayRead()
    if !mayRead { isReadPending = true }
    return mayRead
  }

  // MARK: - What the peer takes, and the end

  /// Records whether more can be written; returns true when the connection can go on now.
  @discardableResult
  mutating func writabilityChanged(_ isWritable: Bool) -> Bool {
    self.isWritable = isWritable
    guard isWritable, case .blocked = state else { return false }
    served = 0
    state = .reading
    return true
  }

  /// The peer has closed its sending side.
  mutating func inputClosed() -> Action? {
    isInputClosed = true
    switch state {
    // The reader of the stream has gone.
    case .draining, .streaming: return close(nil)
    case .reading:
      state = .ending
      return .closeBehindResponses
    // Or nobody would ever end it.
    case .taking where parser.isMissing(in: inbox): return close(nil)
    case .checking, .taking, .responding, .answeredEarly, .waiting, .pending, .building, .blocked, .ending,
      .closed:
      return nil
    }
  }

  /// The last response has been sent. What the peer still sends is read and dropped for a moment; otherwise closing would
  /// reset the connection before the peer has read the response.
  mutating func lastSent(now: NIODeadline) -> Action? {
    guard case .ending = state else { return nil }
    if isInputClosed { return close(nil) }
    inbox = ByteBuffer()
    parser = RequestParser(limits: limits)
    reportedUnfinished = 0
    state = .draining
    deadline = ConnectionDeadline(.closing, at: now + Self.drainTime)
    return .closeOutput
  }
}
