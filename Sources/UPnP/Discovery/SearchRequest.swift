import Text

/// An M-SEARCH (UPnP Device Architecture, "Search request"), parsed leniently.
struct SearchRequest: Sendable, Hashable {
  /// The longest datagram that is read as a search, in bytes.
  static let maximumLength = 2048
  /// The highest MX that is used, in seconds; a higher one counts as this.
  static let maximumMX = 5
  static let maximumTargetLength = 256

  /// The search target (ST).
  var target: String
  /// Seconds over which to spread the responses, 1…5.
  var mx: Int

  init(target: String, mx: Int) {
    self.target = target
    self.mx = mx
  }

  /// Parses a datagram; nil when it isn't a search for devices.
  ///
  /// Accepts what control points in the field send: bare line feeds, a missing empty line, MAN without quotes, odd
  /// spacing, a wrong or missing HOST, and MX missing or 0 (taken as 1).
  init?(datagram: some Collection<UInt8>) {
    guard datagram.count <= Self.maximumLength else { return nil }
    var lines = datagram.lazy.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .makeIterator()
    guard let first = lines.next(), Self.isRequestLine(first) else { return nil }
    var man: String?
    var st: String?
    var mx: String?
    while let line = lines.next() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        if Self.trimmed(line).isEmpty { break }
        continue
      }
      let value = Self.trimmed(line[line.index(after: colon)...])
      switch Self.trimmed(line[..<colon]).uppercased() {
      case "MAN": man = man ?? value
      case "ST": st = st ?? value
      case "MX": mx = mx ?? value
      default: break
      }
    }
    guard let man, man.filter({ $0 != "\"" }).lowercased() == "ssdp:discover", let st,
      (1...Self.maximumTargetLength).contains(st.utf8.count),
      st.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    target = st
    self.mx = min(max(mx.flatMap(Self.number) ?? 1, 1), Self.maximumMX)
  }

  private static func isRequestLine(_ line: some Collection<UInt8>) -> Bool {
    let parts = trimmed(line).split(whereSeparator: { $0 == " " || $0 == "\t" })
    return parts.count == 3 && parts[0] == "M-SEARCH" && parts[1] == "*"
      && parts[2].uppercased().hasPrefix("HTTP/1.")
  }

  private static func trimmed(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).streamSafe.trimmingASCIISpace
  }

  /// Parses decimal digits; a number that doesn't fit an Int counts as the maximum.
  private static func number(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text) ?? maximumMX
  }
}
