import NIOCore

/// Answers: complete ones, those that come later, and those that are sent piece by piece.
extension Connection {
  /// Takes the answer to the request of ``Action/respond(_:)``; an early one takes precedence.
  mutating func answered(_ answer: consuming Answer, now: NIODeadline) -> Action? {
    let form: ResponseForm
    switch state {
    case .responding(let expected): form = expected
    case .answeredEarly(let response, let expected):
      answer = .complete(response)
      form = expected
    default: return nil
    }
    state = .reading
    wait(.nextRequest, limits.keepAliveSeconds, now)
    switch consume answer {
    case .complete(let response): return deliver(response, form, now)
    case .later:
      state = .pending(form)
      wait(.answer, limits.answerSeconds, now)
      return nil
    case .streaming(let response): return begin(response, form, now)
    }
  }

  /// True when the answer came before the responder had returned.
  var isAnsweredEarly: Bool { if case .answeredEarly = state { true } else { false } }

  /// True while an answer given by ``completed(_:now:)`` is taken.
  var takesAnswer: Bool {
    switch state {
    case .pending, .responding, .taking: true
    default: false
    }
  }

  /// Takes the answer that has come later, or while the responder is still being asked.
  mutating func completed(_ response: HTTPResponse, now: NIODeadline) -> Action? {
    switch state {
    case .responding(let form):
      state = .answeredEarly(response, form)
      return nil
    case .pending(let form):
      state = .reading
      served = 0
      wait(.nextRequest, limits.keepAliveSeconds, now)
      return deliver(response, form, now)
    // The rest of the body isn't wanted.
    case .taking(let form, _, _): return send(response, form, closing: true, now)
    default: return nil
    }
  }

  /// Sends a response, either now or once it has been built.
  private mutating func deliver(
    _ response: consuming HTTPResponse, _ form: ResponseForm, _ now: NIODeadline
  ) -> Action {
    let takesTurns =
      response.rest != nil || inbox.readableBytes > 0 && response.body.readableBytes > Self.largeBody
    guard takesTurns else { return send(response, form, closing: form.closes, now) }
    state = .building(response, form)
    // The peer waits for the server, not the server for the peer.
    deadline = nil
    return .awaitSteps
  }

  mutating func send(
    _ response: consuming HTTPResponse, _ form: ResponseForm, closing: Bool, _ now: NIODeadline
  ) -> Action {
    response.closes = response.closes || closing
    if response.closes {
      state = .ending
      wait(.response, limits.responseSeconds, now)
    }
    return .send(response, form)
  }

  // MARK: - Building in steps

  /// What one step of building has led to.
  enum Step {
    /// There is more to build; the response has so many bytes.
    case more(bytes: Int)
    /// The response is complete.
    case done(Action)
    /// Nothing is being built any more.
    case none
  }

  /// Builds the next piece of the response.
  mutating func buildNext(now: NIODeadline) -> Step {
    guard case .building(var response, let form) = state else { return .none }
    // Keep only one reference, or each appended piece would copy the whole response.
    state = .reading
    if response.rest?.write(to: &response.body) == true {
      let bytes = response.body.readableBytes
      state = .building(response, form)
      return .more(bytes: bytes)
    }
    response.rest = nil
    served = 0
    // The peer's time starts now, however long building took.
    wait(.nextRequest, limits.keepAliveSeconds, now)
    return .done(send(response, form, closing: form.closes, now))
  }

  // MARK: - Streaming

  private mutating func begin(
    _ response: consuming HTTPResponse, _ form: ResponseForm, _ now: NIODeadline
  ) -> Action {
    response.closes = true
    let isChunked = response.length == nil && !form.isOld
    response.framing = response.length.map { .declared($0) } ?? (isChunked ? .chunked : .untilClosed)
    guard !form.hasNoBody else {
      // The response ends with its head, so nothing will be streamed.
      state = .ending
      wait(.response, limits.responseSeconds, now)
      return .giveUp(response, form)
    }
    readerSeconds = response.readerSeconds ?? limits.streamSeconds
    state = .streaming(unsent: 0, isChunked: isChunked)
    deadline = nil
    return .send(response, form)
  }

  /// Takes the size of a piece that is about to be written; nil when nothing is streamed any more. With an action, the
  /// reader has left too much unread, and the connection closes instead.
  mutating func mayStream(_ bytes: Int, now: NIODeadline) -> (isChunked: Bool, Action?)? {
    guard case .streaming(let unsent, let isChunked) = state else { return nil }
    // One piece always goes, however long: a reader that takes everything must not lose its stream.
    guard unsent == 0 || unsent + bytes <= limits.streamBytes else {
      return (isChunked, close(.unsentResponseBytes))
    }
    if unsent == 0, bytes > 0 { wait(.stream, readerSeconds, now) }
    state = .streaming(unsent: unsent + bytes, isChunked: isChunked)
    return (isChunked, nil)
  }

  /// The reader has taken bytes of a streaming response.
  mutating func taken(_ bytes: Int, now: NIODeadline) {
    guard case .streaming(let unsent, let isChunked) = state else { return }
    state = .streaming(unsent: unsent - bytes, isChunked: isChunked)
    if unsent > bytes { wait(.stream, readerSeconds, now) } else { deadline = nil }
  }

  /// Ends a streaming response; the connection closes behind it.
  mutating func streamEnded(now: NIODeadline) -> Action? {
    guard case .streaming(_, let isChunked) = state else { return nil }
    state = .ending
    wait(.response, limits.responseSeconds, now)
    return .sendEnd(isChunked: isChunked)
  }
}
