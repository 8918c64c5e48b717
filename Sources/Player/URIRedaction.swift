/// Shortens a URI for logs and messages: what names the resource stays, what may be secret goes.
///
/// User information is removed, the values of a query are replaced by `…`, a fragment is dropped, and what is
/// left is cut to 200 characters. Control characters become `?`, so that one message stays one line.
public func redacted(uri: String) -> String {
  // By Unicode scalars: as a Character, a "?" with an accent on it would not be one.
  var text = uri.unicodeScalars[...]
  if let fragment = text.firstIndex(of: "#") { text = text[..<fragment] }
  var query: Substring.UnicodeScalarView?
  if let mark = text.firstIndex(of: "?") {
    query = text[text.index(after: mark)...]
    text = text[..<mark]
  }
  var result = removingUserInfo(text)
  if let query, !query.isEmpty {
    let names = query.split(separator: "&", maxSplits: 8).prefix(8).map { pair -> String in
      guard let equals = pair.firstIndex(of: "=") else { return "…" }
      return String(pair[..<equals]) + "=…"
    }
    result += "?" + names.joined(separator: "&")
  }
  let printable = result.unicodeScalars.prefix(201).map { $0.properties.breaksLines ? "?" : $0 }
  guard printable.count > 200 else { return String(String.UnicodeScalarView(printable)) }
  return String(String.UnicodeScalarView(printable.prefix(199))) + "…"
}

private func removingUserInfo(_ text: Substring.UnicodeScalarView) -> String {
  guard
    let colon = text.indices.first(where: {
      text[$0] == ":" && text[$0...].starts(with: "://".unicodeScalars)
    })
  else { return String(text) }
  let start = text.index(colon, offsetBy: 3)
  let rest = text[start...]
  let end = rest.firstIndex(of: "/") ?? rest.endIndex
  guard let at = rest[..<end].lastIndex(of: "@") else { return String(text) }
  return String(text[..<start]) + String(rest[rest.index(after: at)...])
}

extension Unicode.Scalar.Properties {
  /// True for what a terminal or a log reader may take for the end of a line, or for a command.
  fileprivate var breaksLines: Bool {
    switch generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
