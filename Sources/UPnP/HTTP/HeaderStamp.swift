import Glibc

/// The header lines that every response has, made anew only when the second has changed.
struct HeaderStamp: Sendable {
  private let server: String
  private var second = -1
  private var lines: [UInt8] = []

  init(server: String) { self.server = server }

  /// `DATE`, `EXT` and `SERVER` for now.
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
