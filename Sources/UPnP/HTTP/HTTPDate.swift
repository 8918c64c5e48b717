import Glibc

/// The date format of HTTP headers (RFC 9110, "IMF-fixdate").
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `Tue, 14 Nov 2023 22:13:20 GMT`; seconds since 1970 in UTC, negative ones count as 0.
  static func text(unixSeconds: Int) -> String {
    let seconds = max(0, unixSeconds)
    let day = seconds / 86400
    // Civil date from the day number, with years that begin in March so that the leap day is the last.
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 2 : shiftedMonth - 10
    let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
    let time = seconds % 86400
    return "\(days[day % 7]), \(two(dayOfMonth)) \(months[month]) \(year) "
      + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

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
      lines = Array("DATE: \(HTTPDate.text(unixSeconds: second))\r\nEXT:\r\nSERVER: \(server)\r\n".utf8)
    }
    return lines
  }
}
