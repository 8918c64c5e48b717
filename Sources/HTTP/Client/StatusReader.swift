import NIOCore
import Text

/// Reads the status of a response and the rest of its head, so that the server can finish sending it.
struct StatusReader: Sendable {
  enum Result: Hashable {
    case needMore
    case status(Int)
    case failure
  }

  /// The longest head to read, in bytes.
  static let longestHead = 4096
  /// The longest line to store, in bytes; the fields that matter are shorter.
  private static let longestLine = 128

  /// The status, known once the first line is.
  private(set) var status: Int?
  private var line: [UInt8] = []
  private var count = 0
  private var isPersistent = false
  private var isEmpty = false
  private var hasRest = false

  /// True when the response has ended and the connection can carry another request (RFC 9112, 9.3).
  ///
  /// Valid once there is a status. The reader never waits for a body, so the response must have none.
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

  /// Evaluates a header field that concerns the connection.
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

  /// Returns 200 for `HTTP/1.1 200 OK`.
  static func status(of line: [UInt8]) -> Int? {
    let parts = line.split(separator: 0x20, maxSplits: 2)
    guard parts.count >= 2, parts[0].starts(with: Array("HTTP/1.".utf8)), parts[1].count == 3,
      parts[1].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
