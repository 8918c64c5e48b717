/// Shortens a URI for logs and messages: what names the resource stays, what may be secret goes.
///
/// User information is removed, the values of a query are replaced by `…`, a fragment is dropped, and what is
/// left is cut to 200 characters. Control characters become `?`, so that one message stays one line.
public func redacted(uri: String) -> String {
  var text = Substring(uri)
  if let fragment = text.firstIndex(of: "#") { text = text[..<fragment] }
  var query: Substring?
  if let mark = text.firstIndex(of: "?") {
    query = text[text.index(after: mark)...]
    text = text[..<mark]
  }
  var result = removingUserInfo(text)
  if let query, !query.isEmpty {
    let names = query.split(separator: "&").prefix(8).map { pair -> String in
      guard let equals = pair.firstIndex(of: "=") else { return "…" }
      return String(pair[..<equals]) + "=…"
    }
    result += "?" + names.joined(separator: "&")
  }
  let printable = String(
    String.UnicodeScalarView(
      result.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "?" : $0 }))
  return printable.count > 200 ? printable.prefix(199) + "…" : printable
}

private func removingUserInfo(_ text: Substring) -> String {
  guard let scheme = text.range(of: "://") else { return String(text) }
  let rest = text[scheme.upperBound...]
  let end = rest.firstIndex(of: "/") ?? rest.endIndex
  guard let at = rest[..<end].lastIndex(of: "@") else { return String(text) }
  return String(text[..<scheme.upperBound]) + String(rest[rest.index(after: at)...])
}

extension Substring {
  /// First place of `text`.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
