import DIDLLite
import Player

/// A track as the rooms that listen are told of it: short, and without secrets of its address.
public struct SentTrack: Sendable, Hashable {
  /// The address; empty if it is too long.
  public var uri: String
  /// DIDL-Lite of at most ``longestMetadata`` bytes.
  public var metadata: String
  /// What a live stream says that it plays, as DIDL-Lite of at most 1000 bytes; may be empty.
  public var text: String

  /// One message must hold the metadata and leave room for the address.
  public static let longestMetadata = 1000
  private static let longestURI = 300
  private static let longestPicture = 300
  private static let longestText = 1000
  /// The most characters of title, artist and album that are tried, longest first.
  private static let lengths = [120, 60, 30]

  /// - Parameters:
  ///   - media: the track or the station.
  ///   - song: what a station plays; nil for other tracks.
  public init(_ media: Media, song: StreamTags?) {
    let shown = ShownTrack(media)
    let address = redacted(uri: media.uri)
    let uri = address.utf8.count <= Self.longestURI ? address : ""
    self.uri = uri
    let picture = shown.picture.flatMap { Self.isPlain($0) ? $0 : nil }
    metadata = Self.shortest(Self.longestMetadata) { length, isComplete in
      DIDLWriter.item(
        title: Self.cut(shown.title, length), artist: Self.cut(shown.artist, length),
        album: Self.cut(shown.album, length), uri: isComplete ? uri : nil,
        albumArtURI: isComplete ? picture : nil)
    }
    text =
      song.map { song in
        Self.shortest(Self.longestText) { length, _ in
          DIDLWriter.metatext(
            StreamTags(
              title: Self.cut(song.title, length), artist: Self.cut(song.artist, length),
              album: Self.cut(song.album, length), station: Self.cut(song.station, length)))
        }
      } ?? ""
  }

  /// Whether a picture's address may be told: it is short, and holds nothing that would be redacted.
  private static func isPlain(_ uri: String) -> Bool {
    uri.utf8.count <= longestPicture && uri.hasPrefix("http") && redacted(uri: uri) == uri
  }

  private static func cut(_ text: String?, _ length: Int) -> String? {
    text.map { String($0.unicodeScalars.prefix(length)) }
  }

  /// The first that fits into `most` bytes; empty if none does.
  private static func shortest(_ most: Int, _ make: (_ length: Int, _ isComplete: Bool) -> String) -> String {
    for length in lengths {
      for isComplete in [true, false] {
        let text = make(length, isComplete)
        if text.utf8.count <= most { return text }
      }
    }
    return ""
  }
}
