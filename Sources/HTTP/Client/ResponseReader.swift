import NIOCore
import Text

/// Reads a whole response: its head, and a body in any of its three forms (RFC 9112, 6.3). A pure value.
struct ResponseReader: Sendable {
  enum Result {
    case needMore
    case response(ClientResponse)
    case fault(ResponseFault)
  }

  /// The longest head, in bytes, and the most fields in it.
  static let longestHead = 16 * 1024
  static let mostFields = 64
  /// The most interim responses (100 Continue) before the real one.
  static let mostInterim = 4

  private enum State {
    case head
    case length(Int)
    case chunked(ChunkedBody)
    case untilClosed
    case over
  }

  private let limit: Int
  private let hasBody: Bool
  private var state = State.head
  /// What has been received and not read yet.
  private var pending = ByteBuffer()
  /// How much of ``pending`` has been searched for the end of the head.
  private var searched = 0
  private var response = ClientResponse(status: 0)
  private var interim = 0
  private var isPersistent = false

  /// True once anything has been received.
  private(set) var hasBegun = false

  /// True when the response has ended and the connection can carry another request (RFC 9112, 9.3).
  var keepsConnection: Bool {
    if case .over = state { isPersistent && pending.readableBytes == 0 } else { false }
  }

  init(limit: Int, hasBody: Bool) {
    self.limit = limit
    self.hasBody = hasBody
  }

  mutating func read(_ bytes: ByteBuffer) -> Result {
    guard bytes.readableBytes > 0 else { return .needMore }
    hasBegun = true
    if pending.readableBytes == 0 { pending = bytes } else { pending.writeImmutableBuffer(bytes) }
    do throws(ResponseFault) {
      if case .head = state {
        guard try readHead() else { return .needMore }
      }
      return try readBody() ? .response(over()) : .needMore
    } catch {
      return .fault(error)
    }
  }

  /// Handles the end of the connection: the response that ends by it, or nil when one isn't complete.
  mutating func end() -> ClientResponse? {
    guard case .untilClosed = state else { return nil }
    isPersistent = false
    return over()
  }

  private mutating func over() -> ClientResponse {
    state = .over
    return response
  }

  // MARK: - Head

  /// Returns true once the head of the final response is complete.
  private mutating func readHead() throws(ResponseFault) -> Bool {
    while let length = headLength() {
      guard length <= Self.longestHead, let head = pending.readSlice(length: length) else { throw .tooLarge }
      searched = 0
      let isHTTP11 = try parse(head)
      guard response.status < 200 else {
        try beginBody(isHTTP11: isHTTP11)
        return true
      }
      interim += 1
      // 101 would be another protocol, which nobody asked for.
      guard response.status != 101, interim <= Self.mostInterim else { throw .malformed }
    }
    guard pending.readableBytes <= Self.longestHead else { throw .tooLarge }
    return false
  }

  /// The length of the head with its empty line; nil when it isn't complete.
  private mutating func headLength() -> Int? {
    let view = pending.readableBytesView
    var index = view.startIndex + searched
    while let newline = view[index...].firstIndex(of: 0x0a) {
      var next = newline + 1
      if next < view.endIndex, view[next] == 0x0d { next += 1 }
      guard next < view.endIndex else {
        searched = newline - view.startIndex
        return nil
      }
      if view[next] == 0x0a { return next + 1 - view.startIndex }
      index = newline + 1
    }
    searched = view.count
    return nil
  }

  /// Reads a complete head; lines that aren't fields are passed over.
  ///
  /// - Returns: false for HTTP/1.0.
  private mutating func parse(_ head: ByteBuffer) throws(ResponseFault) -> Bool {
    var lines = head.readableBytesView.split(separator: 0x0a).lazy.map { line in
      line.last == 0x0d ? line.dropLast() : line
    }.makeIterator()
    guard let first = lines.next(), let status = StatusReader.status(of: Array(first)) else {
      throw .malformed
    }
    response = ClientResponse(status: status)
    var count = 0
    while let line = lines.next() {
      guard let colon = line.firstIndex(of: 0x3a), line[..<colon].allSatisfy(\.isHTTPToken),
        colon > line.startIndex
      else { continue }
      count += 1
      guard count <= Self.mostFields else { throw .tooLarge }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingASCIISpace.streamSafe
      response.fields.append(name: name, value: value)
    }
    return first.starts(with: "HTTP/1.1".utf8)
  }

  // MARK: - Body

  private mutating func beginBody(isHTTP11: Bool) throws(ResponseFault) {
    let fields = response.fields
    isPersistent =
      isHTTP11 && !fields.contains("upgrade")
      && fields.all("connection").allSatisfy { $0.lowercased() == "keep-alive" }
    let lengths = fields.all("content-length")
    if !hasBody && lengths.isEmpty && !fields.contains("transfer-encoding")
      || response.status == 204 || response.status == 304
    {
      // Without a length, the server may think that the connection ends here.
      isPersistent = isPersistent && hasBody
      state = .length(0)
      return
    }
    if let coding = fields.first("content-encoding"), coding.lowercased() != "identity" { throw .malformed }
    let codings = fields.all("transfer-encoding")
    if !codings.isEmpty {
      guard codings.count == 1, codings[0].lowercased() == "chunked" else { throw .malformed }
      // With both, somebody in between may have read another message (RFC 9112, 6.3).
      if !lengths.isEmpty { isPersistent = false }
      state = .chunked(ChunkedBody(limit: limit))
      return
    }
    guard let text = lengths.first else {
      isPersistent = false
      state = .untilClosed
      return
    }
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      lengths.allSatisfy({ $0 == text }), let length = Int(text)
    else { throw .malformed }
    guard length <= limit else { throw .tooLarge }
    state = .length(length)
  }

  /// Returns true once the body is complete.
  private mutating func readBody() throws(ResponseFault) -> Bool {
    switch state {
    case .head, .over: return false
    case .length(let missing):
      let count = min(missing, pending.readableBytes)
      take(count)
      state = .length(missing - count)
      return count == missing
    case .chunked(var chunks):
      // The body must not be shared while it grows.
      state = .over
      do throws(HTTPError) {
        let isComplete = try chunks.advance(over: &pending)
        if isComplete { response.body = chunks.content } else { state = .chunked(chunks) }
        return isComplete
      } catch {
        throw error.status == .badRequest ? .malformed : .tooLarge
      }
    case .untilClosed:
      guard response.body.readableBytes + pending.readableBytes <= limit else { throw .tooLarge }
      take(pending.readableBytes)
      return false
    }
  }

  /// Moves `count` received bytes to the body.
  private mutating func take(_ count: Int) {
    guard var piece = pending.readSlice(length: count) else { return }
    if response.body.readableBytes == 0 { response.body = piece } else { response.body.writeBuffer(&piece) }
  }
}
