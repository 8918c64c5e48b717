import Glibc

/// The header lines common to all responses, rebuilt at most once a second.
struct CommonHeaders: Sendable {
  private let fixed: String
  private var second = -1
  private var lines: [UInt8] = []

  /// - Parameter fields: what follows the date in every response.
  init(_ fields: [HTTPField]) {
    fixed = fields.map { $0.value.isEmpty ? "\($0.name):\r\n" : "\($0.name): \($0.value)\r\n" }.joined()
  }

  /// Returns the line `DATE` for the current time, and the fixed ones.
  mutating func current() -> [UInt8] {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
    if now.tv_sec != second {
      second = now.tv_sec
      lines = Array("DATE: \(HTTPDate.text(secondsSince1970: second))\r\n\(fixed)".utf8)
    }
    return lines
  }
}
