import UPnP

/// Times as AVTransport and DIDL-Lite write them: `H+:MM:SS[.F+]` or `H+:MM:SS[.F0/F1]` (AVTransport,
/// "CurrentTrackDuration" and "RelativeTimePosition").
enum ClockTime {
  /// A day per digit is plenty; more hours than this are nobody's music.
  private static let maximumHours = 100_000

  /// Without a fraction, as control points expect it; less than nothing reads as nothing.
  static func text(_ duration: Duration) -> String {
    let total = max(0, duration.components.seconds)
    let (minutes, seconds) = (total / 60 % 60, total % 60)
    return "\(total / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds)"
  }

  /// nil when it is no such time, or a negative one; a plus in front changes nothing.
  static func duration(_ text: String) -> Duration? {
    var text = text.trimmingASCIISpace[...]
    if text.first == "+" { text = text.dropFirst() }
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count == 3, let hours = number(fields[0], upTo: maximumHours),
      let minutes = number(fields[1], upTo: 59)
    else { return nil }
    let parts = fields[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let seconds = number(parts[0], upTo: 59) else { return nil }
    guard let fraction = parts.count == 2 ? nanoseconds(parts[1]) : 0 else { return nil }
    return .seconds(hours * 3600 + minutes * 60 + seconds) + .nanoseconds(fraction)
  }

  private static func number(_ text: Substring, upTo maximum: Int) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(text), value <= maximum
    else { return nil }
    return value
  }

  /// `123` means 0.123; `1/3` means a third.
  private static func nanoseconds(_ text: Substring) -> Int? {
    let billion = 1_000_000_000
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let over = number(parts[0], upTo: billion), let under = number(parts[1], upTo: billion),
        over < under
      else { return nil }
      return over * billion / under
    }
    guard parts.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let digits = text.prefix(9)
    return Int(digits + String(repeating: "0", count: 9 - digits.count))
  }
}
