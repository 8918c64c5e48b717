import NIOCore

/// A picture as it came, with the type that its first bytes have.
package struct Picture: Sendable, Hashable {
  /// The largest, in bytes.
  static let largest = 4 << 20

  var contentType: String
  var body: ByteBuffer

  /// - Returns: nil for what isn't a JPEG, PNG, GIF or WebP. Nothing else is passed on: an SVG or a document could run
  ///   scripts as if it came from us.
  init?(_ body: ByteBuffer) {
    guard let contentType = Self.contentType(of: body.readableBytesView.prefix(16)) else { return nil }
    self.contentType = contentType
    self.body = body
  }

  /// The type of a picture that begins with these 16 bytes; nil for what isn't a JPEG, PNG, GIF or WebP.
  static func contentType(of head: some Collection<UInt8>) -> String? {
    guard head.count == 16 else { return nil }
    if head.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return "image/png" }
    if head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8) { return "image/gif" }
    if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return nil
  }
}
