import UPnP

/// `protocol:network:contentFormat:additionalInfo` (ConnectionManager, "ProtocolInfo").
struct ProtocolInfo: Sendable, Hashable {
  var transport: String
  var network: String
  /// MIME type with its parameters, or `*`.
  var contentFormat: String
  var additional: String

  /// nil when it hasn't four fields. The last may itself contain colons.
  init?(_ text: String) {
    let fields = text.trimmingASCIISpace.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    guard fields.count == 4 else { return nil }
    (transport, network) = (String(fields[0]), String(fields[1]))
    (contentFormat, additional) = (String(fields[2]), String(fields[3]))
  }

  /// The content format, unless it is the wildcard or empty.
  var mimeType: String? {
    let type = contentFormat.trimmingASCIISpace
    return type.isEmpty || type == "*" ? nil : type
  }

  /// The comma-separated list of what can be fetched over HTTP, one entry for each of `mimeTypes`; servers match
  /// the text literally, so every alias is an entry of its own.
  static func sinkList(_ mimeTypes: [String]) -> String {
    mimeTypes.map { "http-get:*:\($0.replacing(",", with: "\\,")):*" }.joined(separator: ",")
  }
}
