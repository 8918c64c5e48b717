import Glibc
import NIOCore

/// Parses requests from a stream of bytes that may be split anywhere; refuses what is too large before storing it.
///
/// A bare LF ends a line like CRLF. Everything else is strict, since request smuggling relies on requests that two
/// parsers read differently.
package struct RequestParser: Sendable {
  package enum Event {
    /// The buffer has no complete request.
    case needMore
    /// The head is complete, but the body isn't; occurs at most once per request.
    case head(RequestHead)
    case request(HTTPRequest)
    /// The connection can't be used any more.
    case failure(HTTPStatus)
  }

  // Indirect, since most requests come whole, and each look at the state copies it.
  private enum State {
    case head
    indirect case body(RequestHead, length: Int, announced: Bool)
    indirect case chunked(RequestHead, announced: Bool)
    /// The body is longer than any that is kept; only ``takeBody()`` gets past it.
    case large(length: Int)
    /// The rest of a body that is taken in pieces.
    case pieces(left: Int)
    case failed(HTTPStatus)
  }

  private let limits: HTTPLimits
  private var state = State.head
  /// What has come of a chunked body. Not in ``state``, or each piece would be added to a copy of it.
  private var chunks: ChunkedBody
  private var scan = HeadScan()

  package init(limits: HTTPLimits) {
    self.limits = limits
    chunks = ChunkedBody(limit: limits.bodyBytes)
  }

  /// True while no request has begun in the parser; the buffer may already hold part of a head.
  var isAwaitingHead: Bool { if case .head = state { true } else { false } }

  /// Bytes of an unfinished chunked body that the parser stores itself.
  var heldBytes: Int { chunks.content.readableBytes }

  /// Takes the next request, or as much of it as there is, from `buffer`.
  package mutating func next(_ buffer: inout ByteBuffer) -> Event {
    do {
      switch state {
      case .head:
        guard let range = try scan.advance(over: &buffer, limits: limits) else { return .needMore }
        let head = try buffer.withUnsafeReadableBytes { bytes throws(HTTPError) in
          try RequestHead(parsing: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
        buffer.moveReaderIndex(forwardBy: range.upperBound)
        scan = HeadScan()
        switch head.framing {
        case .length(let length) where length > limits.bodyBytes:
          state = .large(length: length)
          return .head(head)
        case .length(let length):
          if buffer.readableBytes >= length { return finish(head, length: length, from: &buffer) }
          state = .body(head, length: length, announced: false)
        case .chunked:
          state = .chunked(head, announced: false)
        }
        return next(&buffer)
      case .body(let head, let length, let announced):
        if buffer.readableBytes >= length { return finish(head, length: length, from: &buffer) }
        guard !announced else { return .needMore }
        state = .body(head, length: length, announced: true)
        return .head(head)
      case .chunked(let head, let announced):
        if try chunks.advance(over: &buffer) {
          let body = chunks.content
          chunks = ChunkedBody(limit: limits.bodyBytes)
          state = .head
          return .request(HTTPRequest(head: head, body: body))
        }
        if !announced { state = .chunked(head, announced: true) }
        return announced ? .needMore : .head(head)
      case .large:
        state = .failed(.contentTooLarge)
        return .failure(.contentTooLarge)
      case .pieces: return .needMore
      case .failed(let status):
        return .failure(status)
      }
    } catch {
      chunks = ChunkedBody(limit: limits.bodyBytes)
      state = .failed(error.status)
      return .failure(error.status)
    }
  }

  // MARK: - Bodies in pieces

  /// True when the body of the head that came last is longer than any that is kept.
  var isTooLarge: Bool { if case .large = state { true } else { false } }

  /// From now on, ``nextPiece(_:)`` gives the body of the head that came last, however long it is.
  ///
  /// - Returns: false if the body doesn't say how long it is.
  mutating func takeBody() -> Bool {
    switch state {
    case .large(let length), .body(_, let length, _): state = .pieces(left: length)
    case .head, .chunked, .pieces, .failed: return false
    }
    return true
  }

  /// Takes what has come of a body that is taken in pieces; nil when nothing has.
  mutating func nextPiece(_ buffer: inout ByteBuffer) -> (piece: ByteBuffer, isLast: Bool)? {
    guard case .pieces(let left) = state, buffer.readableBytes > 0,
      let piece = buffer.readSlice(length: min(left, buffer.readableBytes))
    else { return nil }
    let rest = left - piece.readableBytes
    state = rest == 0 ? .head : .pieces(left: rest)
    return (piece, rest == 0)
  }

  /// Whether more of a body that is taken in pieces has to come than `buffer` has.
  func isMissing(in buffer: ByteBuffer) -> Bool {
    if case .pieces(let left) = state { left > buffer.readableBytes } else { false }
  }

  private mutating func finish(
    _ head: consuming RequestHead, length: Int, from buffer: inout ByteBuffer
  ) -> Event {
    state = .head
    return .request(HTTPRequest(head: head, body: buffer.readSlice(length: length) ?? ByteBuffer()))
  }
}

/// Searches for the end of a request's head; looks at each byte only once, however small the pieces are.
private struct HeadScan {
  /// Offsets from the reader index.
  private var searched = 0
  private var lineStart = 0
  private var lines = 0
  private var blankLines = 0

  /// Returns the range of the head, including its empty line; nil when it isn't complete.
  mutating func advance(
    over buffer: inout ByteBuffer, limits: HTTPLimits
  ) throws(HTTPError) -> Range<Int>? {
    while let end = lineEnd(in: buffer) {
      let length = end.length
      searched = end.next
      if length == 0, lines == 0 {
        // Some clients send an empty line after a body; a few are harmless.
        blankLines += 1
        guard blankLines <= 4 else { throw HTTPError(status: .badRequest) }
        buffer.moveReaderIndex(forwardBy: end.next)
        (searched, lineStart) = (0, 0)
        continue
      }
      if lines == 0, length > limits.requestLineBytes { throw HTTPError(status: .uriTooLong) }
      if end.next > limits.headBytes { throw HTTPError(status: .headerFieldsTooLarge) }
      if length == 0 { return 0..<end.next }
      lines += 1
      if lines > limits.headerCount + 1 { throw HTTPError(status: .headerFieldsTooLarge) }
      lineStart = end.next
    }
    searched = buffer.readableBytes
    if lines == 0, searched > limits.requestLineBytes + 1 { throw HTTPError(status: .uriTooLong) }
    if searched > limits.headBytes { throw HTTPError(status: .headerFieldsTooLarge) }
    return nil
  }

  private func lineEnd(in buffer: ByteBuffer) -> (length: Int, next: Int)? {
    buffer.withUnsafeReadableBytes { bytes in
      guard searched < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + searched, 0x0a, bytes.count - searched)
      else { return nil }
      let newline = base.distance(to: UnsafeRawPointer(found))
      let hasReturn = newline > lineStart && bytes[newline - 1] == 0x0d
      return (newline - lineStart - (hasReturn ? 1 : 0), newline + 1)
    }
  }
}
