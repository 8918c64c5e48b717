import NIOCore

/// Collects a chunked body (RFC 9112, "Chunked Transfer Coding") up to a limit.
struct ChunkedBody: Sendable {
  private enum State {
    case size
    case data(Int)
    case dataEnd
    case trailer(lines: Int)
  }

  /// The longest line with a chunk size and its extensions, and the longest trailer line, in bytes.
  private static let longestLine = 256
  private static let mostTrailers = 16

  private let limit: Int
  private var state = State.size
  private(set) var content = ByteBuffer()

  init(limit: Int) { self.limit = limit }

  /// Reads the available bytes; returns true when the body is complete.
  mutating func advance(over buffer: inout ByteBuffer) throws(HTTPError) -> Bool {
    while true {
      switch state {
      case .size:
        guard let line = try takeLine(from: &buffer) else { return false }
        let size = try Self.size(line)
        guard content.readableBytes + size <= limit else { throw HTTPError(status: .contentTooLarge) }
        state = size == 0 ? .trailer(lines: 0) : .data(size)
      case .data(let missing):
        guard var piece = buffer.readSlice(length: min(missing, buffer.readableBytes)),
          piece.readableBytes > 0
        else { return false }
        let rest = missing - piece.readableBytes
        content.writeBuffer(&piece)
        state = rest == 0 ? .dataEnd : .data(rest)
      case .dataEnd:
        guard let line = try takeLine(from: &buffer) else { return false }
        guard line.readableBytes == 0 else { throw HTTPError(status: .badRequest) }
        state = .size
      case .trailer(let lines):
        guard let line = try takeLine(from: &buffer) else { return false }
        if line.readableBytes == 0 { return true }
        guard lines < Self.mostTrailers else { throw HTTPError(status: .headerFieldsTooLarge) }
        state = .trailer(lines: lines + 1)
      }
    }
  }

  private func takeLine(from buffer: inout ByteBuffer) throws(HTTPError) -> ByteBuffer? {
    let view = buffer.readableBytesView.prefix(Self.longestLine + 1)
    guard let newline = view.firstIndex(of: 0x0a) else {
      if view.count > Self.longestLine { throw HTTPError(status: .badRequest) }
      return nil
    }
    let length = newline - view.startIndex
    var line = buffer.readSlice(length: length) ?? ByteBuffer()
    buffer.moveReaderIndex(forwardBy: 1)
    if line.readableBytesView.last == 0x0d { line.moveWriterIndex(to: line.writerIndex - 1) }
    return line
  }

  /// Parses the hexadecimal digits before any extension; a number that might overflow is refused as too large.
  private static func size(_ line: ByteBuffer) throws(HTTPError) -> Int {
    var size = 0
    var digits = 0
    scan: for byte in line.readableBytesView {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      case 0x3b, 0x20, 0x09:
        break scan
      default: throw HTTPError(status: .badRequest)
      }
      guard size < 1 << 32 else { throw HTTPError(status: .contentTooLarge) }
      size = size << 4 | Int(digit)
      digits += 1
    }
    guard digits > 0 else { throw HTTPError(status: .badRequest) }
    return size
  }
}
