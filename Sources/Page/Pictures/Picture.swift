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
    let bytes = Array(body.readableBytesView.prefix(16))
    guard bytes.count == 16 else { return nil }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      contentType = "image/jpeg"
    } else if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      contentType = "image/png"
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      contentType = "image/gif"
    } else if bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBP".utf8) {
      contentType = "image/webp"
    } else {
      return nil
    }
    self.body = body
  }
}
