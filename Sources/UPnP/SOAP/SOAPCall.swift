/// The action that a request asks for, as its SOAPACTION header says.
struct SOAPAction: Hashable, Sendable {
  /// `urn:schemas-upnp-org:service:AVTransport:1`
  var serviceType: String
  var name: String

  /// Reads `"TYPE#ACTION"`, with both, one or no quotation marks; nil for anything else.
  init?(header: String) {
    var text = header.trimmingASCIISpace[...]
    if text.utf8.first == 0x22 { text = text.dropFirst() }
    if text.utf8.last == 0x22 { text = text.dropLast() }
    guard let hash = text.utf8.lastIndex(of: 0x23) else { return nil }
    serviceType = String(text[..<hash])
    name = String(text[text.utf8.index(after: hash)...])
    guard !serviceType.isEmpty, !name.isEmpty, !name.utf8.contains(0x22), !serviceType.utf8.contains(0x22)
    else {
      return nil
    }
  }

  /// The action of a request (UPnP Device Architecture, "Control"; M-POST after RFC 2774).
  ///
  /// - Throws: 412 without SOAPACTION, 400 for one that can't be read, 510 for M-POST without its extension.
  init(_ head: RequestHead) throws(HTTPError) {
    var name = "soapaction"
    if head.method == "M-POST" {
      guard let prefix = Self.extensionPrefix(head.fields.first("man") ?? "") else {
        throw HTTPError(status: .notExtended)
      }
      name = "\(prefix)-soapaction"
    }
    guard let header = head.fields.first(name) else { throw HTTPError(status: .preconditionFailed) }
    guard let action = SOAPAction(header: header) else { throw HTTPError(status: .badRequest) }
    self = action
  }

  /// `01` of `"http://schemas.xmlsoap.org/soap/envelope/"; ns=01`
  private static func extensionPrefix(_ man: String) -> String? {
    let parts = man.split(separator: ";").map(\.trimmingASCIISpace)
    guard parts.first?.contains("http://schemas.xmlsoap.org/soap/envelope/") == true else { return nil }
    for part in parts.dropFirst() where part.lowercased().hasPrefix("ns=") {
      let digits = part.dropFirst(3).utf8
      guard (1...8).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      return String(part.dropFirst(3))
    }
    return nil
  }
}
