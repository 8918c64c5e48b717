import NIOCore

/// An HTTP message as it is written: the head with a small body behind it, or a larger body for itself.
struct MessagePieces {
  /// Bodies up to this size, in bytes, are copied behind the head, which is cheaper than a second piece to send.
  static let copiedBody = 8192

  var first: ByteBuffer
  var second: ByteBuffer?
}
