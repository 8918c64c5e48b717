/// An M-SEARCH (UPnP Device Architecture, "Search request"), parsed leniently.
public struct SearchRequest: Sendable, Hashable {
  /// The longest datagram that is read as a search, in bytes.
  static let maximumLength = 2048
  /// The highest MX that is used, in seconds; a higher one counts as this.
  static let maximumMX = 5
  static let maximumTargetLength = 256

  /// The search target (ST).
  public var target: String
  /// Seconds over which to spread the responses, 1…5.
  public var mx: Int
  /// Without MAN it is no search by the specification; only some devices answer it.
  var lacksMAN = false

  public init(target: String, mx: Int) {
    self.target = target
    self.mx = mx
  }

  /// Parses a datagram; nil when it isn't a search for devices.
  ///
  /// Accepts what control points in the field send: bare line feeds, a missing empty line, MAN without quotes or missing, odd
  /// spacing, a wrong or missing HOST, and MX missing or 0 (taken as 1).
  init?(datagram: some Collection<UInt8>) {
    guard datagram.count <= Self.maximumLength else { return nil }
    var man: String?
    var st: String?
    var mx: String?
    let isSearch = SSDPLines.read(datagram, start: Self.isRequestLine) { name, value in
      switch name {
      case "MAN": man = man ?? value()
      case "ST": st = st ?? value()
      case "MX": mx = mx ?? value()
      default: break
      }
    }
    guard isSearch, man.map({ $0.filter { $0 != "\"" }.lowercased() == "ssdp:discover" }) ?? true, let st,
      (1...Self.maximumTargetLength).contains(st.utf8.count),
      st.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    target = st
    self.mx = min(max(mx.flatMap(Self.number) ?? 1, 1), Self.maximumMX)
    lacksMAN = man == nil
  }

  private static func isRequestLine(_ line: String) -> Bool {
    let words = SSDPLines.words(line)
    return words.count == 3 && words[0] == "M-SEARCH" && words[1] == "*"
      && words[2].uppercased().hasPrefix("HTTP/1.")
  }

  /// Parses decimal digits; a number that doesn't fit an Int counts as the maximum.
  private static func number(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text) ?? maximumMX
  }

  /// Returns the datagram that asks this.
  ///
  /// - Parameter host: the address and port that it is sent to, such as `239.255.255.250:1900`.
  public func encoded(host: String, userAgent: String) -> [UInt8] {
    Array(
      """
      M-SEARCH * HTTP/1.1\r
      HOST: \(host)\r
      MAN: "ssdp:discover"\r
      MX: \(mx)\r
      ST: \(target)\r
      USER-AGENT: \(userAgent)\r
      \r

      """.utf8)
  }
}
