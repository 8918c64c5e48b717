/// Durations as people write them: `"2s"`, `"500ms"`, `"1.5min"`, or a plain number of seconds.
enum DurationText {
  /// Units from the longest to the shortest, in milliseconds.
  private static let units: [(name: String, milliseconds: Double)] = [
    ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Parses a duration; nil when `text` isn't a non-negative number with a unit, or a bare number of seconds.
  static func read(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let number = Double(digits) else { return nil }
    if unit.isEmpty { return seconds(number) }
    guard let known = units.first(where: { $0.name == unit }) else { return nil }
    return seconds(number * known.milliseconds / 1000)
  }

  /// Converts seconds to a duration; nil when negative, not finite, or beyond a century.
  static func seconds(_ number: Double) -> Duration? {
    guard number.isFinite, number >= 0, number < 3e9 else { return nil }
    return .milliseconds(Int64((number * 1000).rounded()))
  }

  /// Writes a duration in the longest unit that needs no fraction: `90s`, `2min`, `500ms`.
  static func write(_ duration: Duration) -> String {
    let milliseconds =
      duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    if milliseconds == 0 { return "0s" }
    for unit in units where milliseconds.isMultiple(of: Int64(unit.milliseconds)) {
      return "\(milliseconds / Int64(unit.milliseconds))\(unit.name)"
    }
    return "\(milliseconds)ms"
  }
}
