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

  /// Reads the action from a request's headers (UPnP Device Architecture, "Control").
  ///
  /// - Throws: 412 without SOAPACTION, 400 when it can't be parsed.
  init(_ head: borrowing RequestHead) throws(HTTPError) {
    guard let header = head.fields.first("soapaction") else { throw HTTPError(status: .preconditionFailed) }
    guard let action = SOAPAction(header: header) else { throw HTTPError(status: .badRequest) }
    self = action
  }
}
