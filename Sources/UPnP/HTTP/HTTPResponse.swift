import NIOCore

/// A response before it is serialised.
struct HTTPResponse: Sendable {
  var status: HTTPStatus
  /// The Content-Type header; nil when there is no body.
  var contentType: String?
  /// Further header fields; names and values are our own, never a peer's.
  var fields: [(name: String, value: String)] = []
  var body = ByteBuffer()
  /// Writes the rest of ``body``, when it is too long for one turn of the event loop; otherwise nil.
  var rest: SOAPResponse.Success?
  /// True to close the connection after this response.
  var closes = false
  /// A new subscription, whose first event is sent after this response.
  var subscription: SID?
  /// Subscriptions whose events the response briefly waits for, since they report the effect of the request.
  var awaits: [SID] = []

  init(_ status: HTTPStatus, fields: [(name: String, value: String)] = []) {
    self.status = status
    self.fields = fields
  }

  init(
    _ status: HTTPStatus, contentType: String, body: ByteBuffer, fields: [(name: String, value: String)] = []
  ) {
    self.init(status, fields: fields)
    self.contentType = contentType
    self.body = body
  }

  static let xmlType = "text/xml; charset=\"utf-8\""

  /// Makes a response that refuses a request and closes the connection.
  static func refusal(_ status: HTTPStatus) -> HTTPResponse {
    var response = HTTPResponse(status)
    response.closes = true
    return response
  }

  /// Returns the bytes to send.
  ///
  /// - Parameters:
  ///   - withoutBody: true for HEAD; the content length is the same as for GET.
  ///   - keepsAliveOld: the peer uses HTTP/1.0 and asked for keep-alive, which must be confirmed.
  ///   - stamp: the header lines common to all responses.
  func serialized(
    allocator: ByteBufferAllocator, withoutBody: Bool, keepsAliveOld: Bool, stamp: [UInt8]
  ) -> MessagePieces {
    let copies = body.readableBytes <= MessagePieces.copiedBody && !withoutBody
    var buffer = allocator.buffer(capacity: 384 + stamp.count + (copies ? body.readableBytes : 0))
    buffer.writeStaticString("HTTP/1.1 ")
    buffer.writeInteger(text: status.rawValue)
    buffer.writeStaticString(" ")
    buffer.writeStaticString(status.reason)
    buffer.writeStaticString("\r\n")
    if let contentType {
      buffer.writeStaticString("CONTENT-TYPE: ")
      buffer.writeString(contentType)
      buffer.writeStaticString("\r\n")
    }
    if status != .notModified {
      buffer.writeStaticString("CONTENT-LENGTH: ")
      buffer.writeInteger(text: body.readableBytes)
      buffer.writeStaticString("\r\n")
    }
    buffer.writeBytes(stamp)
    for field in fields {
      buffer.writeString(field.name)
      buffer.writeStaticString(": ")
      buffer.writeString(field.value)
      buffer.writeStaticString("\r\n")
    }
    if closes {
      buffer.writeStaticString("CONNECTION: close\r\n")
    } else if keepsAliveOld {
      buffer.writeStaticString("CONNECTION: keep-alive\r\n")
    }
    buffer.writeStaticString("\r\n")
    if copies {
      buffer.writeImmutableBuffer(body)
      return MessagePieces(first: buffer)
    }
    return MessagePieces(first: buffer, second: withoutBody ? nil : body)
  }
}

extension ByteBuffer {
  /// Writes a number as decimal digits.
  mutating func writeInteger(text number: Int) {
    guard number >= 10 else {
      if number >= 0 { writeInteger(UInt8(0x30 + number)) } else { writeString(String(number)) }
      return
    }
    writeInteger(text: number / 10)
    writeInteger(UInt8(0x30 + number % 10))
  }
}
