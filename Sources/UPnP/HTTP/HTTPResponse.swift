import NIOCore

/// A response before it becomes bytes.
struct HTTPResponse: Sendable {
  var status: HTTPStatus
  /// nil when there is no body to describe.
  var contentType: String?
  /// Further header fields; names and values are ours, never a peer's.
  var fields: [(name: String, value: String)] = []
  var body = ByteBuffer()
  /// Close the connection behind this response.
  var closes = false
  /// A new subscription, whose first event waits until this response has left.
  var subscription: SID?

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

  /// Closing responses to what can't be understood.
  static func refusal(_ status: HTTPStatus) -> HTTPResponse {
    var response = HTTPResponse(status)
    response.closes = true
    return response
  }

  /// The bytes to send.
  ///
  /// - Parameters:
  ///   - withoutBody: for HEAD; the length stays what GET would give.
  ///   - keepsAliveOld: the peer speaks HTTP/1.0 and asked for keep-alive, which has to be confirmed.
  ///   - stamp: header lines of every response.
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
  /// Writes a number in decimal digits.
  mutating func writeInteger(text number: Int) {
    guard number >= 10 else {
      if number >= 0 { writeInteger(UInt8(0x30 + number)) } else { writeString(String(number)) }
      return
    }
    writeInteger(text: number / 10)
    writeInteger(UInt8(0x30 + number % 10))
  }
}
