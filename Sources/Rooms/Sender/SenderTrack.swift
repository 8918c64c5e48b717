/// What listeners are told of a track.
public struct SenderTrack: Sendable, Equatable {
  /// Its address, without secrets.
  public var uri: String
  /// DIDL-Lite, short enough for one message.
  public var metadata: String
  /// Such as FLAC.
  public var codec: String
  public var isLossless: Bool
  /// Bits per second; 0: unknown.
  public var bitRate: Int
  /// Length in nanoseconds; 0: unknown.
  public var duration: UInt64
  /// What a live stream says that it plays, as DIDL-Lite.
  public var text: String

  public init(
    uri: String = "", metadata: String = "", codec: String = "PCM", isLossless: Bool = false,
    bitRate: Int = 0, duration: UInt64 = 0, text: String = ""
  ) {
    self.uri = uri
    self.metadata = metadata
    self.codec = codec
    self.isLossless = isLossless
    self.bitRate = bitRate
    self.duration = duration
    self.text = text
  }
}
