import NIOCore
import Text

/// A document that only changes with the devices.
struct StaticDocument: Sendable {
  let contentType: String
  let body: ByteBuffer
  /// A strong entity tag, including its quotation marks.
  let etag: String

  init(contentType: String, body: ByteBuffer) {
    self.contentType = contentType
    self.body = body
    etag = "\"\(String(Fingerprint(body.readableBytesView).value, radix: 16))\""
  }
}

/// Serves documents with entity tags.
enum StaticRoute {
  static func respond(to head: RequestHead, with document: StaticDocument) -> HTTPResponse {
    var fields = [(name: "ETAG", value: document.etag)]
    // All documents are in English; only a control point that asks for a language needs the header.
    if head.fields.contains("accept-language") { fields.append((name: "CONTENT-LANGUAGE", value: "en")) }
    if let tags = head.fields.first("if-none-match"), matches(tags, document.etag) {
      return HTTPResponse(.notModified, fields: fields)
    }
    return HTTPResponse(.ok, contentType: document.contentType, body: document.body, fields: fields)
  }

  private static func matches(_ tags: String, _ etag: String) -> Bool {
    tags.split(separator: ",").contains { tag in
      let tag = tag.trimmingASCIISpace
      return tag == "*" || tag == etag || tag == "W/\(etag)"
    }
  }
}
