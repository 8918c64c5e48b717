import NIOCore

/// A document that doesn't change until the devices do.
struct StaticDocument: Sendable {
  let contentType: String
  let body: ByteBuffer
  /// A strong entity tag, in its quotation marks.
  let etag: String

  init(contentType: String, body: ByteBuffer) {
    self.contentType = contentType
    self.body = body
    etag = "\"\(String(Fingerprint(body.readableBytesView).value, radix: 16))\""
  }
}

/// Serves documents with validators.
enum StaticRoute {
  static func respond(to head: RequestHead, with document: StaticDocument) -> HTTPResponse {
    var fields = [(name: "ETAG", value: document.etag)]
    // There is one language; a control point that asks is told which.
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

/// FNV-1a with 64 bits: tells versions of our own documents apart, protects nothing.
struct Fingerprint: Sendable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }
}
