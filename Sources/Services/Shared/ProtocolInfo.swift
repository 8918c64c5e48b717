import Text

/// `protocol:network:contentFormat:additionalInfo` (ConnectionManager, "ProtocolInfo").
struct ProtocolInfo: Sendable, Hashable {
  /// MIME type with parameters; nil when it is the wildcard or empty.
  let mimeType: String?

  /// nil without four fields. The last one may contain colons.
  init?(_ text: String) {
    let fields = text.trimmingASCIISpace.utf8
      .split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false).map(Substring.init)
    guard fields.count == 4 else { return nil }
    let type = String(fields[2]).trimmingASCIISpace
    mimeType = type.isEmpty || type == "*" ? nil : type
  }

  /// The comma-separated list of formats that can be fetched over HTTP, one entry for each of `mimeTypes`.
  /// Servers compare the strings literally, so every alias needs its own entry.
  static func sinkList(_ mimeTypes: [String]) -> String {
    mimeTypes.map { type in
      let escaped = type.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
      return "http-get:*:\(escaped):*"
    }.joined(separator: ",")
  }
}
