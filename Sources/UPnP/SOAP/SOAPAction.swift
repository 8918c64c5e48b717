import HTTP
import Text

/// The action that a request invokes, from its SOAPACTION header.
struct SOAPAction: Hashable, Sendable {
  /// The service type, for example `urn:schemas-upnp-org:service:AVTransport:1`.
  var serviceType: String
  var name: String

  /// Parses `"TYPE#ACTION"`, with both, one or no quotation marks; nil for anything else.
  init?(header: String) {
    var header = header
    let parts = header.withUTF8 { bytes -> (String, String)? in
      var text = bytes[...]
      while let byte = text.last, byte.isBlank { text.removeLast() }
      while let byte = text.first, byte.isBlank { text.removeFirst() }
      if text.first == Self.quote { text.removeFirst() }
      if text.last == Self.quote { text.removeLast() }
      guard let hash = text.lastIndex(of: 0x23), hash > text.startIndex, hash + 1 < text.endIndex,
        !text.contains(Self.quote)
      else { return nil }
      return (
        String(decoding: UnsafeBufferPointer(rebasing: text[..<hash]), as: UTF8.self),
        String(decoding: UnsafeBufferPointer(rebasing: text[(hash + 1)...]), as: UTF8.self)
      )
    }
    guard let parts else { return nil }
    (serviceType, name) = parts
  }

  private static let quote: UInt8 = 0x22

  /// Reads the action from a request's headers (UPnP Device Architecture, "Control"; M-POST after RFC 2774).
  ///
  /// - Throws: 412 without SOAPACTION, 400 when it can't be parsed, 510 for M-POST without its extension.
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

  /// Returns `01` for `"http://schemas.xmlsoap.org/soap/envelope/"; ns=01`.
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
