import Text

/// Host and port of addresses.
public enum HostAndPort {
  /// `192.0.2.1:8200` of `http://192.0.2.1:8200/a.flac`: in lower case, with the port, without user and password; nil for an
  /// address that is neither http nor https.
  public static func of(_ address: String) -> String? {
    let (isPlain, isSecure) = (
      address.prefix(7).lowercased() == "http://", address.prefix(8).lowercased() == "https://"
    )
    guard isPlain || isSecure else { return nil }
    let text = span(address)
    let authority = address[text].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard !authority.isEmpty else { return nil }
    let end = authority.lastIndex(of: "]") ?? authority.startIndex
    let hasPort = authority[end...].contains(":")
    return authority.lowercased() + (hasPort ? "" : isSecure ? ":443" : ":80")
  }

  /// The same address at another host and port.
  static func moved(_ address: String, to authority: String) -> String {
    var address = address
    address.replaceSubrange(span(address), with: authority)
    return address
  }

  /// What comes behind host and port.
  static func rest(_ address: String) -> Substring { address[span(address).upperBound...] }

  /// Where host and port stand.
  static func span(_ address: String) -> Range<String.Index> {
    let utf8 = address.utf8
    guard let mark = address.firstPlace(of: "://") else { return address.startIndex..<address.startIndex }
    let rest = utf8[mark.upperBound...]
    let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    return mark.upperBound..<(end ?? utf8.endIndex)
  }

  /// True for one whose host is an address and no name, as media servers name themselves.
  public static func isNumeric(_ authority: String) -> Bool {
    if authority.hasPrefix("[") { return true }
    let host = authority.utf8.prefix { $0 != UInt8(ascii: ":") }
    return !host.isEmpty
      && host.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
  }
}
