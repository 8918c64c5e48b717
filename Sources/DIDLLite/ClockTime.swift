import Text

/// Times as AVTransport and DIDL-Lite write them: `H+:MM:SS[.F+]` or `H+:MM:SS[.F0/F1]` (AVTransport,
/// "CurrentTrackDuration" and "RelativeTimePosition").
public enum ClockTime {
  /// Longest accepted time, far beyond any track.
  private static let maximumHours = 100_000
  /// In bytes, spaces around it included.
  private static let maximumLength = 128

  /// The time without a fraction, as control points expect; negative durations become zero.
  public static func text(_ duration: Duration) -> String {
    let total = max(0, duration.components.seconds)
    let (minutes, seconds) = (total / 60 % 60, total % 60)
    return "\(total / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds)"
  }

  /// Parses a time; nil when it is invalid or negative. A leading plus is ignored.
  ///
  /// Hours, or hours and minutes, may be missing (`25`, `00:10`): the last number is always seconds. Only the
  /// first number may exceed 59.
  public static func duration(_ text: String) -> Duration? {
    guard text.utf8.count <= maximumLength else { return nil }
    // Bytes: characters take ten times as long, and whatever isn't ASCII is refused anyway.
    var text = text.trimmingASCIISpace.utf8[...]
    if text.first == UInt8(ascii: "+") { text = text.dropFirst() }
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, let fraction = parts.count == 2 ? nanoseconds(parts[1]) : 0 else {
      return nil
    }
    let fields = whole.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
    guard fields.count <= 3 else { return nil }
    var seconds = 0
    for (index, field) in fields.enumerated() {
      guard let value = number(field, upTo: index == 0 ? maximumHours * 3600 : 59) else { return nil }
      seconds = seconds * 60 + value
    }
    guard seconds <= maximumHours * 3600 + 3599 else { return nil }
    return .seconds(seconds) + .nanoseconds(fraction)
  }

  private static func number(_ digits: Substring.UTF8View, upTo maximum: Int) -> Int? {
    guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return value <= maximum ? value : nil
  }

  /// `123` means 0.123; `1/3` means a third.
  private static func nanoseconds(_ text: Substring.UTF8View) -> Int? {
    let billion = 1_000_000_000
    let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let over = number(parts[0], upTo: billion), let under = number(parts[1], upTo: billion),
        over < under
      else { return nil }
      return over * billion / under
    }
    guard parts.count == 1, !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let digits = text.prefix(9)
    return (digits.count..<9).reduce(number(digits, upTo: billion)) { value, _ in value.map { $0 * 10 } }
  }
}
