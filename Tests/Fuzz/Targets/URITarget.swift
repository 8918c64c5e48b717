import Network
import Player

@testable import UPnP

extension FuzzTarget {
  /// URIs, hosts and addresses, as texts.
  static let uri = FuzzTarget(
    name: "uri", maximumLength: 2048,
    words: [
      "http://", "https://", "file:///", "file://localhost/srv/music/", "user:secret@", "%2e%2e/", "../",
      "?token=",
      "&", "#", "[fe80::1%eth0]", "::ffff:192.0.2.1", "255.255.255.255", ":65535", "/24", "localhost",
      "kitchen.", "%40", "%3F", "%253f", "%25", ";sid=", "/token/", "\\", ":12/",
      "\u{301}", "@", "\u{2028}", "\r\n",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    try checkPolicy(text)
    try checkRedaction(text)
    if let escaped = AddressEscaping.escaped(text) {
      try promise(AddressEscaping.escaped(escaped) == escaped, "escaped once more: \(escaped)")
      let path = escaped.utf8.drop { $0 != 0x2f }.drop { $0 == 0x2f }.drop { $0 != 0x2f }
      try promise(path.allSatisfy { (0x21..<0x7f).contains($0) }, "still not escaped: \(escaped)")
    }
    if let address = IPAddress(text) {
      try promise(
        IPAddress(address.description) == address, "\(text) reads as \(address), and that differently")
    }
    if let network = IPNetwork(text) {
      try promise(
        IPNetwork(network.description) == network, "\(text) reads as \(network), and that differently")
      try promise(network.contains(network.base) || network.base.isIPv4Mapped, "\(network) without its base")
    }
    if let authority = Authority(text) {
      try promise(authority.port.map { (0...65535).contains($0) } ?? true, "port of \(text)")
      try promise(!authority.host.isEmpty, "no host in \(text)")
    }
    if NetworkFixture.policy.accepts(host: text) {
      let host = Authority(text)?.host.lowercased() ?? ""
      let isName = ["kitchen", "kitchen.", "localhost", "localhost."].contains(host)
      let isOwn = IPAddress(host).map { $0.isLoopback || NetworkFixture.policy.holds($0) }
      try promise(isName || isOwn == true, "answers to \(text)")
    }
  }

  private static func checkPolicy(_ text: String) throws {
    guard URIPolicy(directories: ["/srv/music"]).allows(text) else { return }
    let bytes = Array(text.utf8)
    try promise(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "control characters pass")
    guard text.lowercased().utf8.starts(with: "file:".utf8) else { return }
    try promise(!URIPolicy().allows(text), "a file without a directory that allows it")
    let path = bytes.drop { $0 != 0x2f }
    try promise(
      !path.split(separator: 0x2f).contains { Array($0) == Array("..".utf8) }, "leaves its directory: \(text)"
    )
  }

  private static func checkRedaction(_ text: String) throws {
    let shown = redacted(uri: text)
    try promise(shown.unicodeScalars.count <= 200, "\(shown.unicodeScalars.count) characters in a log line")
    let isOneLine = shown.unicodeScalars.allSatisfy { scalar in
      ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
    try promise(isOneLine, "control characters in a log line")
    try promise(!shown.utf8.contains(0x23), "a fragment is shown: \(shown)")
    try promise(!shown.utf8.contains(0x40), "shows an @ of \(text): \(shown)")
    let words = redacted(text: text)
    // What is cut, or replaced since it would end a line, may be taken for something else.
    let isWhole = words.unicodeScalars.count < 200 && shown.unicodeScalars.count < 200
    if isWhole, text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
      !text.unicodeScalars.contains("\u{2028}"),
      !text.unicodeScalars.contains("\u{2029}")
    {
      try promise(redacted(uri: shown) == shown, "\(shown) is shown differently: \(redacted(uri: shown))")
      try promise(redacted(text: words) == words, "\(words) is shown differently: \(redacted(text: words))")
    }
    let hidden = "S3CRET"
    for uri in [
      "http://user:\(hidden)@192.0.2.1/\(text)", "http://192.0.2.1/a?\(text.filter { $0 != "=" })=\(hidden)",
      "http://192.0.2.1/a?b=\(text.filter { $0 != "&" && $0 != "=" })\(hidden)",
      "http://user:\(text)\(hidden)@192.0.2.1/", "http://user:1\(hidden)\(text)@192.0.2.1/",
      "http://host.example/a;\(text)=\(hidden)", "http://host.example/a%3F\(text)=\(hidden)",
    ] where !text.contains(hidden) {
      try promise(!redacted(uri: uri).contains(hidden), "shows what is secret: \(redacted(uri: uri))")
    }
  }
}
