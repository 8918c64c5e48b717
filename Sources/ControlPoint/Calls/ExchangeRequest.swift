import HTTP
import NIOCore

/// A request to another device, without what the exchange adds: HOST, USER-AGENT, CONTENT-LENGTH and CONNECTION.
package struct ExchangeRequest: Sendable {
  package var method: String
  /// Neither names nor values may contain a line end.
  package var fields: [HTTPField]
  /// Nil for a request without a body.
  package var body: ByteBuffer?
  /// True for a request that does no harm when it arrives twice: it is sent once more if a kept connection ends without
  /// an answer.
  package var isRepeatable: Bool

  package init(
    _ method: String, fields: [HTTPField] = [], body: ByteBuffer? = nil, isRepeatable: Bool? = nil
  ) {
    self.method = method
    self.fields = fields
    self.body = body
    self.isRepeatable = isRepeatable ?? (method == "GET")
  }

  /// A request with a JSON text, or with an empty body.
  ///
  /// - Parameter version: what is to be changed must have this version (If-Match); nil for any.
  package init(_ method: String, json: [UInt8]?, version: String? = nil) {
    self.init(
      method,
      fields: (json == nil ? [] : [HTTPField("CONTENT-TYPE", "application/json")])
        + (version.map { [HTTPField("IF-MATCH", $0)] } ?? []),
      body: method == "GET" ? nil : ByteBuffer(bytes: json ?? []))
  }

  /// False for a method whose responses have no body; many devices send none and don't say so.
  var answerHasBody: Bool { method != "SUBSCRIBE" && method != "UNSUBSCRIBE" }

  /// Head and body, in one buffer if the body is small.
  func message(to address: ServiceAddress, userAgent: String, closes: Bool) -> MessagePieces {
    let copied = body.flatMap { $0.readableBytes <= MessagePieces.copiedBody ? $0 : nil }
    var message = ByteBuffer()
    message.reserveCapacity(384 + address.target.utf8.count + (copied?.readableBytes ?? 0))
    message.writeString(method)
    message.writeStaticString(" ")
    message.writeString(address.target)
    message.writeStaticString(" HTTP/1.1\r\nHOST: ")
    message.writeString(address.host)
    for field in fields { message.writeString("\r\n\(field.name): \(field.value)") }
    message.writeStaticString("\r\nUSER-AGENT: ")
    message.writeString(userAgent)
    if let body {
      message.writeStaticString("\r\nCONTENT-LENGTH: ")
      message.writeString(String(body.readableBytes))
    }
    if closes { message.writeStaticString("\r\nCONNECTION: close") }
    message.writeStaticString("\r\n\r\n")
    guard let copied else { return MessagePieces(first: message, second: body) }
    message.writeImmutableBuffer(copied)
    return MessagePieces(first: message)
  }
}

extension ServiceAddress {
  package var endpoint: HTTPEndpoint { HTTPEndpoint(address: address, port: port, interface: interface) }

  /// As the HOST field has it.
  var host: String { port == 80 ? address.urlHost : "\(address.urlHost):\(port)" }

  /// True when nothing in it could end a line of a request.
  var isUsable: Bool {
    (1...65535).contains(port) && target.utf8.first == 0x2f
      && target.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
  }
}
