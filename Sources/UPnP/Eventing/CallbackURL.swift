import HTTP
import Network
import Text

/// A URL that a stranger named: `http` with a literal address, so no name lookup is needed. A subscriber's callback, or where
/// a device is.
package struct CallbackURL: Sendable, Hashable {
  package var address: IPAddress
  /// The port, 1…65535.
  package var port: Int
  /// Path and query; at least `/`.
  package var target: String

  /// Parses `http://192.0.2.50:4004/evt`.
  ///
  /// Returns nil for any other scheme, a name instead of an address, user info, port 0, or characters that aren't
  /// allowed in a URL.
  package init?(_ text: some StringProtocol) {
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

  /// The HOST header of requests to this URL.
  var host: String { "\(address.urlHost):\(port)" }

  /// Parses a CALLBACK header, `<url><url>…`, and drops URLs that can't be used.
  ///
  /// Returns nil when the header is malformed, or has more or longer URLs than allowed.
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
