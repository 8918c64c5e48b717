import NIOCore

/// An HTTP message as it is written: the head with a small body appended, or with a larger body as a second buffer.
package struct MessagePieces {
  /// The largest body, in bytes, that is copied behind the head; that is cheaper than a second buffer.
  package static let copiedBody = 8192

  package var first: ByteBuffer
  package var second: ByteBuffer?

  package init(first: ByteBuffer, second: ByteBuffer? = nil) {
    self.first = first
    self.second = second
  }
}
