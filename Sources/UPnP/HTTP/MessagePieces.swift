import NIOCore

/// An HTTP message as it is written: the head with a small body appended, or with a larger body as a second buffer.
struct MessagePieces {
  /// The largest body, in bytes, that is copied behind the head; that is cheaper than a second buffer.
  static let copiedBody = 8192

  var first: ByteBuffer
  var second: ByteBuffer?
}
