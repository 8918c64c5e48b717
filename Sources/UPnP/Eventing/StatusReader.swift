import NIOCore

/// Reads the status of a response, and on to the end of its head, so that the peer may finish what it says.
struct StatusReader: Sendable {
  enum Result: Hashable {
    case needMore
    case status(Int)
    case failure
  }

  /// The longest head that is read to its end, in bytes.
  static let longestHead = 4096

  /// Known as soon as the first line is.
  private(set) var status: Int?
  private var line: [UInt8] = []
  private var count = 0

  mutating func read(_ bytes: ByteBuffer) -> Result {
    for byte in bytes.readableBytesView {
      count += 1
      if byte == 0x0a {
        if line.last == 0x0d { line.removeLast() }
        if let status, line.isEmpty { return .status(status) }
        if status == nil {
          guard let parsed = Self.status(of: line) else { return .failure }
          status = parsed
        }
        line.removeAll(keepingCapacity: true)
      } else if status == nil || line.count < 2 {
        line.append(byte)
      }
      if count >= Self.longestHead { return status.map { .status($0) } ?? .failure }
    }
    return .needMore
  }

  /// 200 of `HTTP/1.1 200 OK`
  private static func status(of line: [UInt8]) -> Int? {
    let parts = line.split(separator: 0x20, maxSplits: 2)
    guard parts.count >= 2, parts[0].starts(with: Array("HTTP/1.".utf8)), parts[1].count == 3,
      parts[1].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
