import Text

/// `protocol:network:contentFormat:additionalInfo` (ConnectionManager, "ProtocolInfo").
public struct ProtocolInfo: Sendable, Hashable {
  /// MIME type with parameters; nil when it is the wildcard or empty.
  public let mimeType: String?
  private let text: String

  /// nil without four fields. The last one may contain colons.
  public init?(_ text: String) {
    let text = text.trimmingASCIISpace
    let fields = text.utf8
      .split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false).map(Substring.init)
    guard fields.count == 4 else { return nil }
    let type = String(fields[2]).trimmingASCIISpace
    mimeType = type.isEmpty || type == "*" ? nil : type
    self.text = text
  }

  /// `http-get`, in lower case; `*` for any.
  public var transport: String { field(0).lowercased() }
  /// The network that the address is valid in: nearly always `*`.
  public var network: String { field(1) }
  /// What DLNA adds: `DLNA.ORG_PN=MP3;DLNA.ORG_OP=01`; `*` for nothing.
  public var additional: String { field(3) }

  private func field(_ index: Int) -> String {
    let fields = text.utf8.split(
      separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
    return Substring(fields[index]).trimmingASCIISpace
  }

  /// The value of a DLNA parameter, such as `DLNA.ORG_PN`; nil when there is none.
  public func dlna(_ name: String) -> String? {
    for parameter in additional.split(separator: ";") {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingASCIISpace.uppercased() == name else { continue }
      return parts[1].trimmingASCIISpace
    }
    return nil
  }

  /// The comma-separated list of formats that can be fetched over HTTP, one entry for each of `mimeTypes`.
  /// Servers compare the strings literally, so every alias needs its own entry.
  public static func sinkList(_ mimeTypes: [String]) -> String {
    mimeTypes.map { type in
      let escaped = type.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
      return "http-get:*:\(escaped):*"
    }.joined(separator: ",")
  }
}

extension ProtocolInfo: CustomStringConvertible {
  public var description: String { text }
}
