/// The authority part of a URL: `host`, `host:port`, `[v6]` or `[v6]:port`.
package struct Authority: Sendable, Hashable {
  /// The host as written, without brackets and scope.
  package var host: String
  package var port: Int?

  package init?(_ text: some StringProtocol) {
    let host: Substring
    var rest: Substring
    let text = Substring(text)
    if text.first == "[" {
      guard let close = text.firstIndex(of: "]") else { return nil }
      // A scope only has a meaning on the machine that wrote it.
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
