import DIDLLite
import Player

/// Writes DIDL-Lite for entries of a list, and for the current song of a station.
extension DIDLWriter {
  /// One audio item. A missing title is derived from the URI; without a URI there is no `res`.
  static func item(
    title: String?, artist: String?, album: String?, uri: String?,
    upnpClass: String = trackClass, albumArtURI: String? = nil
  ) -> String {
    let title = title?.isEmpty == false ? title : uri.map(Self.title)
    return document(
      title: title ?? "", artist: artist, album: album, uri: uri, upnpClass: upnpClass,
      albumArtURI: albumArtURI)
  }

  /// The metadata of a station with its current song (`PlayerState.metatext`) as the title. The station's
  /// name replaces a missing artist and a missing album.
  ///
  /// - Parameter upnpClass: the class if the control point sent none.
  static func metadata(of media: Media, song: StreamTags, upnpClass: String = stationClass) -> String {
    let sent = DIDL.items(media.metadata).first
    return item(
      title: song.title, artist: song.artist ?? song.station ?? sent?.title, album: song.album ?? sent?.title,
      uri: media.uri, upnpClass: sent?.upnpClass ?? upnpClass,
      albumArtURI: sent?.albumArtURI)
  }

  /// The current song of a stream (OpenHome Info, "Metatext"). Control points show the title, so it doesn't
  /// contain the station's name.
  static func metatext(_ song: StreamTags) -> String {
    item(title: song.title, artist: song.artist ?? song.station, album: song.album, uri: nil)
  }

  /// The last part of the path, unescaped; without a path the server, without user name and password.
  static func title(of uri: String) -> String {
    let parts = uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      .split(separator: UInt8(ascii: "/"))
    guard var last = parts.last else { return uri }
    if parts.count == 2, parts[0].last == UInt8(ascii: ":"), let at = last.lastIndex(of: UInt8(ascii: "@")) {
      last = last[last.index(after: at)...]
    }
    let text = AddressEscaping.unescaped(last).flatMap { String(validating: $0, as: UTF8.self) }
    return text ?? String(decoding: last, as: UTF8.self)
  }
}
