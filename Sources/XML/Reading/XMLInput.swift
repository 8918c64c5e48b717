import NIOCore

/// What is done to a document before libxml2 gets it.
enum XMLInput {
  /// False for a start that libxml2 takes for another encoding (UTF-16, UTF-32, EBCDIC).
  ///
  /// No request needs one, and the byte-wise checks would be wrong for it.
  static func isUTF8(_ start: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let first = start.first else { return true }
    return (first <= 0x3c || first == 0xef) && !start.contains(0)
  }

  /// Some control points written in C send the terminating NUL as part of the body.
  static func withoutTrailingNULs(_ document: ByteBuffer) -> ByteBuffer {
    let bytes = document.readableBytesView
    let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? bytes.startIndex
    return ByteBuffer(bytes[..<end])
  }

  /// Returns `document` decoded as Latin-1, the most likely encoding if it isn't UTF-8; nil when it is UTF-8.
  static func latin1(_ document: ByteBuffer) -> ByteBuffer? {
    let bytes = document.readableBytesView
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var text = ByteBuffer()
    text.writeWithUnsafeMutableBytes(minimumWritableBytes: 2 * bytes.count) { target in
      var written = 0
      for byte in bytes {
        if byte < 0x80 {
          target[written] = byte
          written += 1
        } else {
          target[written] = 0xc0 | byte >> 6
          target[written + 1] = 0x80 | byte & 0x3f
          written += 2
        }
      }
      return written
    }
    return text
  }
}
