import DIDLLite

/// One way to get an item: a `res` of DIDL-Lite.
public struct MediaResource: Sendable, Hashable {
  /// The absolute address.
  public var address: String
  /// False if the address had to be repaired, so that the server's own metadata doesn't contain it.
  public var isAsSent = true
  public var protocolInfo: ProtocolInfo?
  /// In bytes.
  public var size: Int64?
  public var duration: Duration?
  /// The attribute `bitrate`, which is in bytes per second; some servers send bits. See ``bitsPerSecond``.
  public var sentBitRate: Int?
  /// In hertz.
  public var sampleRate: Int?
  public var channels: Int?
  public var bitsPerSample: Int?

  public init(address: String, protocolInfo: ProtocolInfo? = nil) {
    self.address = address
    self.protocolInfo = protocolInfo
  }

  /// The bit rate: computed from size and duration if they are known, else what the server says.
  public var bitsPerSecond: Int? {
    if let size, let duration, duration >= .seconds(1), size <= Int64.max / 8 {
      return Int(size * 8 / duration.components.seconds)
    }
    return sentBitRate.flatMap { $0 <= Int.max / 8 ? $0 * 8 : nil }
  }

  /// The type: what the server says or, if that says nothing, what the end of the address says; nil if neither does.
  public var type: MIMEType? {
    if let sent = protocolInfo?.mimeType.flatMap({ MIMEType($0) }), !sent.isUnspecific { return sent }
    return MIMEType(ofFile: address)
  }

  /// True if the server makes the content by converting the original (DLNA, `DLNA.ORG_CI`).
  public var isConverted: Bool { protocolInfo?.dlna("DLNA.ORG_CI") == "1" }

  /// True if the server says that a position can be asked for in bytes (DLNA, `DLNA.ORG_OP`).
  public var canSeek: Bool { protocolInfo?.dlna("DLNA.ORG_OP").map { $0.hasSuffix("1") } ?? false }
}
