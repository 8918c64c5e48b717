/// Sizes as people write them: `"1GB"`, `"500MB"`, or a plain number of bytes.
enum SizeText {
  /// Units from the largest to the smallest, in bytes.
  private static let units: [(name: String, bytes: Int)] = [
    ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1),
  ]

  /// Parses a size; nil when `text` isn't a number of bytes, or a number with a unit.
  static func read(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
    guard let number = Double(digits),
      let known = unit.isEmpty ? 1 : units.first(where: { $0.name.lowercased() == unit })?.bytes
    else { return nil }
    let bytes = number * Double(known)
    return bytes.isFinite && bytes < 9e15 ? Int(bytes.rounded()) : nil
  }

  /// Writes a size in the largest unit that needs no fraction: `1GB`, `1500MB`.
  static func write(_ bytes: Int) -> String {
    let unit = units.first { bytes.isMultiple(of: $0.bytes) } ?? ("B", 1)
    return "\(bytes / unit.bytes)\(unit.name)"
  }
}
