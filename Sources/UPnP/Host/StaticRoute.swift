import HTTP
import NIOCore

/// A document that only changes with the devices.
struct StaticDocument: Sendable {
  let contentType: String
  let body: ByteBuffer
  /// A strong entity tag, including its quotation marks.
  let etag: String

  init(contentType: String, body: ByteBuffer) {
    self.contentType = contentType
    self.body = body
    etag = "\"\(Fingerprint(body.readableBytesView).text)\""
  }
}

/// Serves documents with entity tags.
enum StaticRoute {
  static func respond(to head: RequestHead, with document: StaticDocument) -> HTTPResponse {
    var fields = [HTTPField("ETAG", document.etag)]
    // All documents are in English; only a control point that asks for a language needs the header.
    if head.fields.contains("accept-language") { fields.append(HTTPField("CONTENT-LANGUAGE", "en")) }
    if head.has(document.etag) {
      return HTTPResponse(.notModified, fields: fields)
    }
    return HTTPResponse(.ok, contentType: document.contentType, body: document.body, fields: fields)
  }
}
