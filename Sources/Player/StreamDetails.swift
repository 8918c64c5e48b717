/// The decoder's findings about the current stream.
public struct StreamDetails: Sendable, Hashable {
  /// Short name of the codec ("FLAC", "MP3", "PCM").
  public var codecName: String
  /// True when decoding restores exactly what was encoded.
  public var isLossless: Bool
  /// Bits per second; 0 when unknown.
  public var bitRate: Int
  /// Bits per sample of the source; 0 when the codec has none (lossy codecs).
  public var bitDepth: Int
  /// Sample rate in Hz; 0 when unknown.
  public var sampleRate: Int
  /// Number of channels; 0 when unknown.
  public var channels: Int
  /// True when the server indicates that the stream is finite, even if its duration is unknown.
  public var hasEnd: Bool
  /// True when the server calls itself a station.
  public var isStation: Bool

  public init(
    codecName: String = "", isLossless: Bool = false, bitRate: Int = 0, bitDepth: Int = 0,
    sampleRate: Int = 0, channels: Int = 0, hasEnd: Bool = false,
    isStation: Bool = false
  ) {
    self.codecName = codecName
    self.isLossless = isLossless
    self.bitRate = bitRate
    self.bitDepth = bitDepth
    self.sampleRate = sampleRate
    self.channels = channels
    self.hasEnd = hasEnd
    self.isStation = isStation
  }
}

/// Tags inside the stream: ICY titles of a station, or the tags of a file.
public struct StreamTags: Sendable, Hashable {
  public var title: String?
  public var artist: String?
  public var album: String?
  /// The station's name (`icy-name`), for radio streams.
  public var station: String?
  /// The picture inside the file; nil where nobody asks for it.
  public var picture: EmbeddedPicture?
  /// What databases of music call the track.
  public var ids: TrackIDs?

  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, station: String? = nil,
    picture: EmbeddedPicture? = nil, ids: TrackIDs? = nil
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.station = station
    self.picture = picture
    self.ids = ids
  }
}

/// What databases of music call a track, and its number, as the tags of a file say. Strangers write them: anything may be
/// in them.
public struct TrackIDs: Sendable, Hashable {
  /// MusicBrainz's identifiers.
  public var recording: String?
  public var release: String?
  public var track: String?
  public var artists: [String]
  /// International Standard Recording Code.
  public var isrc: String?
  /// The track's number on its album.
  public var number: Int?

  public init(
    recording: String? = nil, release: String? = nil, track: String? = nil, artists: [String] = [],
    isrc: String? = nil, number: Int? = nil
  ) {
    self.recording = recording
    self.release = release
    self.track = track
    self.artists = artists
    self.isrc = isrc
    self.number = number
  }

  /// What `later` tags say, and of these what they don't mention.
  public func updated(by later: TrackIDs) -> TrackIDs {
    TrackIDs(
      recording: later.recording ?? recording, release: later.release ?? release,
      track: later.track ?? track, artists: later.artists.isEmpty ? artists : later.artists,
      isrc: later.isrc ?? isrc, number: later.number ?? number)
  }
}
