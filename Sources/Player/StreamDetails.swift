/// What the decoder found out about the stream that is playing.
public struct StreamDetails: Sendable, Hashable {
  /// Short name of the codec ("FLAC", "MP3", "PCM").
  public var codecName: String
  /// True when decoding gives back exactly what was encoded.
  public var isLossless: Bool
  /// Bits per second; 0 when unknown.
  public var bitRate: Int
  /// Bits per sample of the source; 0 when the codec has none (lossy codecs).
  public var bitDepth: Int
  /// Samples per second and channel; 0 when unknown.
  public var sampleRate: Int
  /// Channels; 0 when unknown.
  public var channels: Int

  public init(
    codecName: String = "", isLossless: Bool = false, bitRate: Int = 0, bitDepth: Int = 0,
    sampleRate: Int = 0, channels: Int = 0
  ) {
    self.codecName = codecName
    self.isLossless = isLossless
    self.bitRate = bitRate
    self.bitDepth = bitDepth
    self.sampleRate = sampleRate
    self.channels = channels
  }
}

/// Tags carried inside the stream: ICY titles of a station, or the tags of a file.
public struct StreamTags: Sendable, Hashable {
  public var title: String?
  public var artist: String?
  public var album: String?
  /// The station's name (`icy-name`), for radio streams.
  public var station: String?

  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, station: String? = nil
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.station = station
  }
}
