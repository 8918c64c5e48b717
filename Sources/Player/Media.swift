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

extension Media {
  /// Whether a stream of it ends by itself, so that a position in it can be found again.
  ///
  /// Servers that convert a track while they send it don't know its length. Then the control point's word counts, but not
  /// for a station: that says when a programme is over, and the stream goes on.
  ///
  /// - Parameters:
  ///   - duration: what the decoder found.
  ///   - isPromised: whether the server said how long it is.
  ///   - isStation: whether the server calls itself a station.
  public func hasEnd(duration: Duration?, isPromised: Bool, isStation: Bool) -> Bool {
    duration != nil || isPromised || (!isStation && (durationHint ?? .zero) > .zero)
  }
}
