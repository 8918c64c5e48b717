import Text

/// Reads the lines of an SSDP datagram, leniently: accepts bare line feeds, odd spacing and a missing empty line.
enum SSDPLines {
  /// Passes the start line to `start`, and then, if that returns true, the fields to `field`: the name in upper case, and a
  /// closure that returns the value.
  ///
  /// - Returns: what `start` returned; false for an empty datagram.
  static func read(
    _ datagram: some Collection<UInt8>, start: (String) -> Bool, field: (String, () -> String) -> Void
  ) -> Bool {
    var lines = datagram.lazy.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .makeIterator()
    guard let first = lines.next(), start(trimmed(first)) else { return false }
    while let line = lines.next() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        if trimmed(line).isEmpty { break }
        continue
      }
      field(trimmed(line[..<colon]).uppercased()) { trimmed(line[line.index(after: colon)...]) }
    }
    return true
  }

  /// Splits a start line at spaces.
  static func words(_ line: String) -> [Substring] { line.split { $0 == " " || $0 == "\t" } }

  private static func trimmed(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).streamSafe.trimmingASCIISpace
  }
}
