/// Where a subscriber wants its events: `http` and a literal address, nothing that would have to be looked up.
struct CallbackURL: Sendable, Hashable {
  var address: IPAddress
  /// 1…65535
  var port: Int
  /// Path and query, at least `/`.
  var target: String

  /// Reads `http://192.0.2.50:4004/evt`; nil for any other scheme, a name instead of an address, user info,
  /// port 0, or characters that don't belong into a URL.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count > 7, text.prefix(7).lowercased() == "http://",
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x3c && $0 != 0x3e })
    else { return nil }
    let rest = text.dropFirst(7)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    guard let authority = Authority(rest[..<end]), let address = IPAddress(authority.host) else { return nil }
    self.address = address
    port = authority.port ?? 80
    let target = rest[end...].prefix { $0 != "#" }
    self.target = target.hasPrefix("/") ? String(target) : "/\(target)"
    guard (1...65535).contains(port) else { return nil }
  }

  /// The value of the HOST header of requests to this URL.
  var host: String { "\(address.urlHost):\(port)" }

  /// The URLs of a CALLBACK header, `<url><url>…`, without those that can't be used.
  ///
  /// nil when the header isn't of that form, or has more or longer URLs than allowed.
  static func list(_ header: String, limits: EventLimits) -> [CallbackURL]? {
    var urls: [CallbackURL] = []
    var count = 0
    var rest = header.trimmingASCIISpace[...]
    while !rest.isEmpty {
      guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return nil }
      let text = rest[rest.index(after: rest.startIndex)..<end]
      count += 1
      guard count <= limits.callbacksPerSubscription, text.utf8.count <= limits.urlBytes else { return nil }
      if let url = CallbackURL(text), !urls.contains(url) { urls.append(url) }
      rest = rest[rest.index(after: end)...].drop { $0 == " " || $0 == "\t" || $0 == "," }
    }
    return urls
  }
}

/// `host`, `host:port`, `[v6]`, `[v6]:port`
struct Authority: Sendable, Hashable {
  /// Without brackets and scope, as written.
  var host: String
  var port: Int?

  init?(_ text: some StringProtocol) {
    let host: Substring
    var rest: Substring
    let text = Substring(text)
    if text.first == "[" {
      guard let close = text.firstIndex(of: "]") else { return nil }
      // A scope has a meaning on its own machine only.
      host = text[text.index(after: text.startIndex)..<close].prefix { $0 != "%" }
      rest = text[text.index(after: close)...]
      guard host.contains(":") else { return nil }
    } else {
      host = text.prefix { $0 != ":" }
      rest = text[host.endIndex...]
    }
    guard !host.isEmpty, !host.contains("@") else { return nil }
    self.host = String(host)
    if rest.isEmpty { return }
    guard rest.first == ":" else { return nil }
    rest = rest.dropFirst()
    guard rest.utf8.count <= 5, rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    if rest.isEmpty { return }
    guard let port = Int(rest), port <= 65535 else { return nil }
    self.port = port
  }
}
