/// A resource to play: its URI and the control point's metadata.
public struct Media: Sendable, Hashable {
  /// Absolute URI as the control point sent it.
  public var uri: String
  /// DIDL-Lite exactly as the control point sent it; empty when it sent none.
  public var metadata: String
  /// MIME type with parameters, from the `protocolInfo` in the metadata, if any
  /// (`audio/L16;rate=44100;channels=2`). Only a hint: the stream itself decides, except for raw PCM.
  public var contentFormat: String?
  /// Duration according to the metadata. Only a hint: the decoder's value takes precedence.
  public var durationHint: Duration?

  public init(
    uri: String, metadata: String = "", contentFormat: String? = nil, durationHint: Duration? = nil
  ) {
    self.uri = uri
    self.metadata = metadata
    self.contentFormat = contentFormat
    self.durationHint = durationHint
  }
}
