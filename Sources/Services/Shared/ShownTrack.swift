import DIDLLite
import Kept
import Player

/// A track or a station as people see it, without secrets of its address. All of it comes from strangers.
public struct ShownTrack: Sendable, Hashable {
  /// The title, else the name of the file; of a station the song, if it names one.
  public var title: String
  public var artist: String?
  public var album: String?
  /// The station that plays the song ``title``.
  public var station: String?
  /// Where its picture is, as the metadata says.
  public var picture: String?

  /// Unicode scalars of each text, of which one character may have any number: a title is a line, not a book.
  static let longestText = 1024

  /// The track by its metadata.
  public init(_ media: Media) {
    let sent = DIDL.items(media.metadata).first
    func shown(_ text: String?) -> String? { Self.shown(text, of: media) }
    title = shown(sent?.title) ?? shown(DIDLWriter.title(of: media.uri)) ?? ""
    artist = shown(sent?.artist)
    album = shown(sent?.album)
    picture = sent?.albumArtURI
  }

  /// The current track of the active source; nil when it has none.
  public init?(_ state: PlayerState) {
    guard let media = state.currentTrack else { return nil }
    self.init(media)
    func shown(_ text: String?) -> String? { Self.shown(text, of: media) }
    if let song = state.metatext {
      station = DIDL.items(media.metadata).first?.title.flatMap(shown) ?? shown(state.facts.tags?.station)
      title = shown(song.title) ?? title
      (artist, album) = (shown(song.artist), shown(song.album))
    } else if let tags = state.facts.tags {
      title = shown(tags.title) ?? title
      artist = shown(tags.artist) ?? artist
      album = shown(tags.album) ?? album
    }
  }
}

extension ShownTrack {
  private static func shown(_ text: String?, of media: Media) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return redacted(title: String(text.unicodeScalars.prefix(longestText)), of: media.uri)
  }
}

extension Media {
  /// Media by its address and what somebody has entered about it.
  ///
  /// - Parameter picture: the address of its picture.
  public init(
    entered uri: String, title: String?, artist: String?, album: String?, duration: Duration?,
    picture: String?
  ) {
    let isBare = [title, artist, album, picture].allSatisfy { $0?.isEmpty ?? true }
    let metadata =
      isBare
      ? ""
      : DIDLWriter.item(
        title: title, artist: artist, album: album, uri: uri, albumArtURI: picture)
    self.init(uri: uri, metadata: metadata, durationHint: duration)
  }
}
