import NIOCore

/// A response before it is serialised.
public struct HTTPResponse: Sendable {
  /// How a peer finds the end of the body.
  enum Framing: Sendable {
    case length
    /// The body comes in pieces of which each says its length.
    case chunked
    /// The end of the connection is the end of the body.
    case untilClosed
    /// The body is streamed, and as long as promised.
    case declared(Int)
  }

  public var status: HTTPStatus
  /// The Content-Type header; nil when there is no body.
  public var contentType: String?
  /// Further header fields.
  public var fields: [HTTPField] = []
  public var body = ByteBuffer()
  /// Writes the rest of ``body``, when it is too long for one turn of the event loop; otherwise nil.
  public var rest: (any BodyRest)?
  /// Bytes of a body that is streamed, if that is known beforehand.
  public var length: Int?
  /// Seconds that the reader of a streamed body may take nothing while something waits for it; nil for what the limits say.
  public var readerSeconds: Int?
  /// True to close the connection after this response.
  public var closes = false
  /// Called when the response has left (true), or can't be sent any more (false).
  public var whenSent: (@Sendable (_ hasLeft: Bool) -> Void)?
  var framing = Framing.length

  public init(_ status: HTTPStatus, fields: [HTTPField] = []) {
    self.status = status
    self.fields = fields
  }

  public init(_ status: HTTPStatus, contentType: String, body: ByteBuffer, fields: [HTTPField] = []) {
    self.init(status, fields: fields)
    self.contentType = contentType
    self.body = body
  }

  /// Makes a response that refuses a request and closes the connection.
  public static func refusal(_ status: HTTPStatus) -> HTTPResponse {
    var response = HTTPResponse(status)
    response.closes = true
    return response
  }

  /// Returns the bytes to send.
  ///
  /// - Parameters:
  ///   - form: what the request says about the form of its response.
  ///   - stamp: the header lines common to all responses.
  func serialized(allocator: ByteBufferAllocator, form: ResponseForm, stamp: [UInt8]) -> MessagePieces {
    let copies = body.readableBytes <= MessagePieces.copiedBody && !form.hasNoBody
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
    switch framing {
    case .length where status != .notModified && status != .noContent:
      buffer.writeStaticString("CONTENT-LENGTH: ")
      buffer.writeInteger(text: body.readableBytes)
      buffer.writeStaticString("\r\n")
    case .declared(let bytes):
      buffer.writeStaticString("CONTENT-LENGTH: ")
      buffer.writeInteger(text: bytes)
      buffer.writeStaticString("\r\n")
    case .chunked: buffer.writeStaticString("TRANSFER-ENCODING: chunked\r\n")
    case .length, .untilClosed: break
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
    } else if form.isOld {
      buffer.writeStaticString("CONNECTION: keep-alive\r\n")
    }
    buffer.writeStaticString("\r\n")
    if copies {
      buffer.writeImmutableBuffer(body)
      return MessagePieces(first: buffer)
    }
    return MessagePieces(first: buffer, second: form.hasNoBody ? nil : body)
  }
}
