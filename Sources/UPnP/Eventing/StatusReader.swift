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
  /// Longer lines are none of those that are looked at.
  private static let longestLine = 128

  /// Known as soon as the first line is.
  private(set) var status: Int?
  private var line: [UInt8] = []
  private var count = 0
  private var isPersistent = false
  private var isEmpty = false
  private var hasRest = false

  /// Behind a status: true when the response has ended, and its peer will take another request on the same connection
  /// (RFC 9112, 9.3). A body is never waited for, so there must be none.
  var keepsConnection: Bool { isPersistent && isEmpty && !hasRest }

  mutating func read(_ bytes: ByteBuffer) -> Result {
    var left = bytes.readableBytes
    for byte in bytes.readableBytesView {
      count += 1
      left -= 1
      if byte == 0x0a {
        if line.last == 0x0d { line.removeLast() }
        if let status, line.isEmpty {
          hasRest = left > 0
          return .status(status)
        }
        if status == nil {
          guard let parsed = Self.status(of: line) else { return .failure }
          status = parsed
          isPersistent = line.starts(with: "HTTP/1.1".utf8)
        } else {
          note(line)
        }
        line.removeAll(keepingCapacity: true)
      } else if status == nil || line.count < Self.longestLine {
        line.append(byte)
      }
      if count >= Self.longestHead {
        isPersistent = false
        return status.map { .status($0) } ?? .failure
      }
    }
    return .needMore
  }

  /// Takes what a header field says about the connection.
  private mutating func note(_ line: [UInt8]) {
    guard let colon = line.firstIndex(of: 0x3a) else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingASCIISpace.lowercased()
    switch name {
    case "content-length": isEmpty = value == "0"
    case "connection" where value != "keep-alive", "transfer-encoding", "upgrade": isPersistent = false
    default: break
    }
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
