import DIDLLite
import Kept
import Player

/// Writes DIDL-Lite for the current song of a station.
extension DIDLWriter {
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
}
