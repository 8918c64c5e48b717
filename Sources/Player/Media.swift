/// Something to play: where it is and what the control point said of it.
public struct Media: Sendable, Hashable {
  /// Absolute URI as the control point sent it.
  public var uri: String
  /// DIDL-Lite exactly as the control point sent it; empty when it sent none.
  public var metadata: String
  /// MIME type with parameters, from the `protocolInfo` of the metadata when there was one
  /// (`audio/L16;rate=44100;channels=2`). A hint only: the stream itself decides, except for raw PCM.
  public var contentFormat: String?
  /// Duration the metadata claims. A hint only: the decoder's own value wins.
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
