/// Shortens a URI for logs, messages and the status page, so that it still identifies the resource but shows
/// no secrets.
///
/// The scheme, the server with its port, and the path remain. Left out, mostly replaced with `…`, are
/// - user name and password: everything before the last `@`, wherever that is, unless what is in the server's
///   place can't be part of them;
/// - a query, a fragment, and in a path segment everything after a `;` or `=`;
/// - segments that look like a token, and those after a segment called `token`, `api_key` or the like.
///
/// An escaped character (`%3F`, `%253F`) counts as the character itself, since servers accept addresses
/// inside addresses. The result has at most 200 characters and contains no line breaks or control characters.
/// Redacting it again doesn't change what remains.
public func redacted(uri: String) -> String {
  let shown = ShownAddress(uri).text
  let printable = shown.unicodeScalars.prefix(201).map { $0.properties.breaksLines ? "?" : $0 }
  guard printable.count > 200 else { return String(String.UnicodeScalarView(printable)) }
  return String(String.UnicodeScalarView(printable.prefix(199))) + "…"
}

/// Redacts each address in `text` as ``redacted(uri:)`` does, for text from other sources: GStreamer, a
/// program, a station.
///
/// An address ends at a space; a quote or a bracket may be part of it. Punctuation that ends a sentence or a
/// quotation is excluded: after a port it would hide the server.
public func redacted(text: String) -> String {
  let bytes = Array(text.utf8)
  var result = ""
  var done = 0
  var next = bytes.firstRange(of: schemeMark, from: 0)
  while let mark = next {
    var start = mark
    while start > done, bytes[start - 1].mayBeInScheme { start -= 1 }
    let word = bytes[..<(bytes[mark...].firstIndex { $0 <= 0x20 } ?? bytes.count)]
    let end = max(mark + schemeMark.count, withoutPunctuation(word).endIndex)
    result += String(decoding: bytes[done..<start], as: UTF8.self)
    result += redacted(uri: String(decoding: bytes[start..<end], as: UTF8.self))
    done = end
    next = bytes.firstRange(of: schemeMark, from: end)
  }
  return done == 0 ? text : result + String(decoding: bytes[done...], as: UTF8.self)
}

/// Redacts a title for logs and the status page. Control points may make a title from a part of the address when
/// there is none. Such a part shows only what the redacted address shows. Parts of up to three bytes are never
/// hidden: they occur in many addresses by chance.
public func redacted(title: String, of uri: String) -> String {
  func bytes(_ text: some StringProtocol) -> [UInt8] {
    AddressUnit.unescaped(Array(text.utf8)).map(\.byte)
  }
  guard title.utf8.count <= 3 * uri.utf8.count else { return redacted(text: title) }
  let part = bytes(title)
  guard part.count > 3, ByteSearch(part).finds(in: bytes(uri)) else { return redacted(text: title) }
  let address = bytes(ShownAddress(uri).text)
  if ByteSearch(part).finds(in: address) { return title }
  let shown = redacted(uri: title)
  let isPlain = shown.split(separator: "…").allSatisfy { ByteSearch(bytes($0)).finds(in: address) }
  return isPlain && shown != title ? shown : "…"
}

private let schemeMark = Array("://".utf8)

private func withoutPunctuation(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  var word = word
  while let mark = closingMarks.first(where: {
    word.count >= $0.count && word.suffix($0.count).elementsEqual($0)
  }) {
    word = word.dropLast(mark.count)
  }
  return word
}

private let closingMarks = [":", ",", ".", ";", "!", "?", "'", "\"", ")", "”"].map { Array($0.utf8) }

/// An address without its secrets.
private struct ShownAddress {
  private typealias Units = ArraySlice<AddressUnit>

  private let source: [UInt8]
  private(set) var text = ""

  init(_ uri: String) {
    source = Array(uri.utf8)
    let units = AddressUnit.unescaped(source)
    let mark =
      units.firstIndex { $0.byte == UInt8(ascii: "?") || $0.byte == UInt8(ascii: "#") } ?? units.count
    let tail = units[mark...]
    if showServerAndPath(units[..<mark], hasAtBehind: tail.contains { $0.byte == UInt8(ascii: "@") }) {
      showTail(tail)
    }
  }

  /// Returns false when nothing that follows may be shown.
  private mutating func showServerAndPath(_ head: Units, hasAtBehind: Bool) -> Bool {
    let start = serverStart(head)
    text += original(head[..<start])
    let pathStart = head[start...].firstIndex(where: \.isSlash) ?? head.endIndex
    let server = start == 0 ? head[..<0] : head[start..<pathStart]
    let path = start == 0 ? head : head[pathStart...]
    let at = head.lastIndex { $0.byte == UInt8(ascii: "@") }
    let isCertain =
      server.isEmpty ? original(head[..<start]).lowercased() == "file://" : isCertainly(server)
    if hasAtBehind, at != nil || !isCertain {
      // The `?` may be part of a password.
      text += "…"
      return false
    }
    guard let at else {
      text += isServer(server) ? original(server) : "…"
      guard hasAtBehind,
        let inner = path.indices.first(where: { path[$0...].prefix(3).map(\.byte) == schemeMark })
      else {
        showPath(path)
        return true
      }
      // An address in the path may contain a password.
      showPath(path[..<inner])
      text += "…"
      return false
    }
    let rest = head[(at + 1)...]
    if at < pathStart, start > 0 {
      // User name and password in their regular place.
      let server = rest.prefix { !$0.isSlash }
      text += isServer(server) ? original(server) : "…"
      showPath(rest[server.endIndex...])
    } else {
      text += isCertain ? original(server) + "/…/" : "…/"
      showPath(path, behind: at)
    }
    return true
  }

  private mutating func showTail(_ tail: Units) {
    guard tail.first?.byte == UInt8(ascii: "?") else { return }
    text += tail.count > 1 ? "?…" : "?"
  }

  /// Shows the path without values. A value extends to the next unescaped slash, since an escaped one may be
  /// part of it.
  ///
  /// - Parameter at: index up to which nothing is shown.
  private mutating func showPath(_ path: Units, behind at: Int = -1) {
    var isSecret = false
    var rest = path
    while !rest.isEmpty {
      let part = rest.prefix { !$0.isSlash || $0.isEscaped }
      rest = rest[part.endIndex...]
      if part.endIndex > at {
        text += isSecret && !part.isEmpty ? "…" : shown(part, behind: at)
        text += original(rest.prefix(1))
      }
      let last = part.lastIndex(where: \.isSlash).map { part[($0 + 1)...] } ?? part
      isSecret = isSecret ? part.isEmpty : isSecretName(last, behind: at)
      rest = rest.dropFirst()
    }
  }

  /// The text between two slashes, without values and tokens.
  private func shown(_ part: Units, behind at: Int) -> String {
    let name = part.prefix { $0.byte != UInt8(ascii: ";") && $0.byte != UInt8(ascii: "=") }
    let mark = part[name.endIndex...].prefix(1)
    let value = part[mark.endIndex...]
    // Base64 ends with equals signs.
    let isValue =
      mark.first?.byte == UInt8(ascii: "=") && value.allSatisfy { $0.byte == UInt8(ascii: "=") }
    guard !isValue, name.endIndex > at else { return "…" }
    var text = ""
    var rest = name
    while !rest.isEmpty {
      let segment = rest.prefix { !$0.isSlash }
      rest = rest[segment.endIndex...]
      if segment.endIndex > at {
        let visible = segment[max(segment.startIndex, at + 1)...]
        text += segment.looksLikeToken ? "…" + original(suffix(of: segment)) : original(visible)
        text += original(rest.prefix(1))
      }
      rest = rest.dropFirst()
      if isSecretName(segment, behind: at), !rest.isEmpty { return text + "…" }
    }
    return text + original(mark) + (value.isEmpty ? "" : "…")
  }

  /// The file name extension, such as `.flac`.
  private func suffix(of name: Units) -> Units {
    guard let dot = name.lastIndex(where: { $0.byte == UInt8(ascii: ".") }), name.endIndex - dot <= 5,
      name[(dot + 1)...].allSatisfy({ $0.kind == .lower || $0.kind == .digit })
    else { return name[name.endIndex...] }
    return name[dot...]
  }

  /// Returns true when the next segment is the secret that `segment` names: the segment itself, or in `name=value` the
  /// value. A value without letters and digits is none; what replaces a secret, `…`, is one.
  private func isSecretName(_ segment: Units) -> Bool {
    let value = segment.drop { $0.byte != UInt8(ascii: "=") && $0.byte != UInt8(ascii: ";") }.dropFirst()
    if value.contains(where: { $0.kind != .other || $0.byte >= 0x80 }) { return isSecretName(value) }
    guard segment.count <= 40 else { return false }
    let letters = segment.lazy.filter { $0.kind != .other }.map(\.byte)
    let name = String(decoding: letters, as: UTF8.self).lowercased()
    return name.hasSuffix("token") || secretNames.contains(name)
  }

  /// As `isSecretName(_:)`. Only the part behind `at` is shown; that part alone, or all of the segment, may be the name.
  private func isSecretName(_ segment: Units, behind at: Int) -> Bool {
    isSecretName(segment)
      || segment.startIndex <= at && at + 1 < segment.endIndex && isSecretName(segment[(at + 1)...])
  }

  private func original(_ units: Units) -> String {
    guard let first = units.first, let last = units.last else { return "" }
    return String(decoding: source[first.start..<last.end], as: UTF8.self)
  }
}

private let secretNames: Set<String> = [
  "accesskey", "apikey", "auth", "authkey", "authorization", "authsig", "bearer", "credential", "credentials",
  "hdnea", "hdnts",
  "hmac", "jwt", "key", "lsig", "pass", "passwd", "password", "pw", "pwd", "secret", "session", "sessionid",
  "sid", "sig",
  "signature", "ticket",
]

/// Index at which the server begins; 0 when there is none.
private func serverStart(_ head: ArraySlice<AddressUnit>) -> Int {
  let scheme = head.prefix { $0.byte.mayBeInScheme }
  return head[scheme.endIndex...].prefix(3).map(\.byte) == schemeMark && scheme.count <= 20
    ? scheme.endIndex + 3 : 0
}

/// True for `host`, `host:80` or `[fe80::1]:80`; false for the beginning of `user:password`.
private func isServer(_ server: ArraySlice<AddressUnit>) -> Bool {
  let bytes = server.map(\.byte)
  let host =
    bytes.first == UInt8(ascii: "[")
    ? bytes.prefix { $0 != UInt8(ascii: "]") } + bytes.filter { $0 == UInt8(ascii: "]") }.prefix(1)
    : bytes.prefix { $0 != UInt8(ascii: ":") }
  let port = bytes.dropFirst(host.count)
  return host.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    && (port.isEmpty
      || port.first == UInt8(ascii: ":") && port.count <= 6 && port.dropFirst().allSatisfy(\.isDigit))
}

/// True when this certainly is a host rather than a user name: an IP address, or a name with dots and without
/// a colon, which a password would have to follow.
private func isCertainly(_ server: ArraySlice<AddressUnit>) -> Bool {
  guard isServer(server), !server.contains(where: { $0.byte == UInt8(ascii: "@") }) else { return false }
  if server.first?.byte == UInt8(ascii: "[") { return true }
  let bytes = server.map(\.byte)
  let labels = bytes.prefix { $0 != UInt8(ascii: ":") }
    .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  let isIPv4 =
    labels.count == 4 && labels.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(\.isDigit) }
  return isIPv4 || labels.count > 1 && labels.allSatisfy { !$0.isEmpty } && !bytes.contains(UInt8(ascii: ":"))
}

extension [UInt8] {
  fileprivate func firstRange(of mark: [UInt8], from start: Int) -> Int? {
    guard count >= start + mark.count else { return nil }
    return (start...(count - mark.count)).first { self[$0] == mark[0] && self[$0...].starts(with: mark) }
  }
}

extension Unicode.Scalar.Properties {
  /// True for a character that a terminal or a log reader may take for a line break or a control sequence.
  fileprivate var breaksLines: Bool {
    switch generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
