import Text

/// What a device of somebody else says about itself by SSDP, read leniently: an announcement, or the response to a search
/// (UPnP Device Architecture, "NOTIFY", "M-SEARCH response"). ``SSDPMessage`` writes the same.
public struct SSDPNotice: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case alive, byebye
    case update(nextBootID: Int?)
    case response
  }

  /// The longest datagram that is read, in bytes.
  public static let maximumLength = 4096
  /// The longest location and target, in bytes.
  public static let maximumFieldLength = 1024
  /// The longest UDN, in bytes.
  public static let maximumUDNLength = 256

  public let kind: Kind
  /// The UDN without its `uuid:` prefix.
  public let udn: String
  /// NT or ST: the root device, the UDN, or a device or service type.
  public let target: String
  /// The URL of the description, as sent; never nil for `alive` and `response`.
  public let location: String?
  /// Seconds for which this is valid; nil when it doesn't say so.
  public let maxAge: Int?
  public let bootID: Int?
  public let configID: Int?
  public let searchPort: Int?
  /// The SERVER field, cut to 256 characters; empty when there is none.
  public let server: String

  /// Parses a datagram; nil when it is none of these messages, or doesn't say which device it is about.
  ///
  /// Accepts what devices in the field send: fields in any case and order, bare line feeds, a missing NT or ST, and a
  /// missing or odd CACHE-CONTROL.
  public init?(datagram: some Collection<UInt8>) {
    guard datagram.count <= Self.maximumLength else { return nil }
    var isResponse = false
    var fields: [String: String] = [:]
    let isMessage = SSDPLines.read(datagram) { line in
      let words = SSDPLines.words(line)
      isResponse = words.count >= 2 && words[0].uppercased().hasPrefix("HTTP/1.") && words[1] == "200"
      return isResponse
        || words.count == 3 && words[0] == "NOTIFY" && words[1] == "*"
          && words[2].uppercased().hasPrefix("HTTP/1.")
    } field: { name, value in
      if Self.names.contains(name), fields[name] == nil { fields[name] = value() }
    }
    guard isMessage, let kind = Self.kind(isResponse: isResponse, fields), let usn = fields["USN"],
      let udn = Self.udn(usn)
    else { return nil }
    self.kind = kind
    self.udn = udn
    // A missing target is the other half of the USN.
    let sent = fields[isResponse ? "ST" : "NT"] ?? ""
    let whole = sent.isEmpty ? Self.target(usn) ?? "uuid:\(udn)" : sent
    guard let target = Self.printable(whole) else { return nil }
    self.target = target
    location = fields["LOCATION"].flatMap(Self.printable)
    guard location != nil || (kind != .alive && kind != .response) else { return nil }
    maxAge = fields["CACHE-CONTROL"].flatMap(Self.maxAge)
    bootID = Self.number(fields["BOOTID.UPNP.ORG"])
    configID = Self.number(fields["CONFIGID.UPNP.ORG"])
    searchPort = Self.number(fields["SEARCHPORT.UPNP.ORG"]).flatMap { (1...65535).contains($0) ? $0 : nil }
    server = String((fields["SERVER"] ?? "").unicodeScalars.prefix(256))
  }

  /// Returns the value of a further field of an announcement or of the response to a search; nil when the datagram is
  /// neither, or has no such field.
  ///
  /// - Parameter name: in upper case.
  package static func value(of name: String, in datagram: some Collection<UInt8>) -> String? {
    guard datagram.count <= maximumLength else { return nil }
    var found: String?
    let isMessage = SSDPLines.read(datagram) { line in
      let first = SSDPLines.words(line).first?.uppercased() ?? ""
      return first == "NOTIFY" || first.hasPrefix("HTTP/1.")
    } field: { field, value in
      if field == name, found == nil { found = value() }
    }
    return isMessage ? found : nil
  }

  private static let names: Set<String> = [
    "NT", "ST", "NTS", "USN", "LOCATION", "CACHE-CONTROL", "SERVER", "BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG",
    "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG",
  ]

  private static func kind(isResponse: Bool, _ fields: [String: String]) -> Kind? {
    guard !isResponse else { return .response }
    switch fields["NTS"]?.lowercased() {
    case "ssdp:alive": return .alive
    case "ssdp:byebye": return .byebye
    case "ssdp:update": return .update(nextBootID: number(fields["NEXTBOOTID.UPNP.ORG"]))
    default: return nil
    }
  }

  /// Returns `X` for `uuid:X` and `uuid:X::TARGET`.
  private static func udn(_ usn: String) -> String? {
    guard let usn = printable(usn), usn.prefix(5).lowercased() == "uuid:" else { return nil }
    let rest = usn.utf8.dropFirst(5)
    let udn = Substring(rest[..<(end(of: rest) ?? rest.endIndex)])
    return (1...maximumUDNLength).contains(udn.utf8.count) ? String(udn) : nil
  }

  private static func target(_ usn: String) -> String? {
    guard let end = end(of: usn.utf8.dropFirst(5)) else { return nil }
    return String(usn[end...].dropFirst(2))
  }

  /// The place of the first `::`.
  private static func end(of bytes: Substring.UTF8View) -> String.Index? {
    var place = bytes.startIndex
    while let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
      place = bytes.index(after: colon)
      if place < bytes.endIndex, bytes[place] == UInt8(ascii: ":") { return colon }
    }
    return nil
  }

  private static func maxAge(_ field: String) -> Int? {
    for directive in field.split(separator: ",") {
      let pair = directive.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmingASCIISpace.lowercased() == "max-age" else { continue }
      return number(pair[1].filter { $0 != "\"" }.trimmingASCIISpace)
    }
    return nil
  }

  /// Returns a number that fits 31 bits, as the specification has it; a larger one counts as the largest.
  private static func number(_ text: String?) -> Int? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int(text) ?? .max, Int(Int32.max))
  }

  private static func printable(_ text: String) -> String? {
    let isUsable =
      (1...maximumFieldLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isUsable ? text : nil
  }
}
