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
    let end: Int = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? bytes.startIndex
    return ByteBuffer(bytes[..<end])
  }

  /// Returns `document` with every byte that isn't UTF-8 taken for Latin-1, the most likely encoding; nil when all of it is
  /// UTF-8. The rest stays: media servers pass on the tags of files, each in the encoding of whoever wrote it.
  static func latin1(_ document: ByteBuffer) -> ByteBuffer? {
    let bytes = document.readableBytesView
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var text = ByteBuffer()
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var index = bytes.startIndex
    text.writeWithUnsafeMutableBytes(minimumWritableBytes: 2 * bytes.count) { target in
      var written = 0
      while true {
        switch parser.parseScalar(from: &input) {
        case .valid(let scalar):
          for byte in scalar {
            target[written] = byte
            written += 1
          }
          index += scalar.count
        case .error(let length):
          for byte in bytes[index..<index + length] {
            target[written] = 0xc0 | byte >> 6
            target[written + 1] = 0x80 | byte & 0x3f
            written += 2
          }
          index += length
        case .emptyInput: return written
        }
      }
    }
    return text
  }
}
