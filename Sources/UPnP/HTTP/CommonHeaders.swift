import Glibc

/// The header lines common to all responses, rebuilt at most once a second.
struct CommonHeaders: Sendable {
  private let server: String
  private var second = -1
  private var lines: [UInt8] = []

  init(server: String) { self.server = server }

  /// Returns the lines `DATE`, `EXT` and `SERVER` for the current time.
  mutating func current() -> [UInt8] {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
    if now.tv_sec != second {
      second = now.tv_sec
      lines = Array("DATE: \(HTTPDate.text(secondsSince1970: second))\r\nEXT:\r\nSERVER: \(server)\r\n".utf8)
    }
    return lines
  }
}
