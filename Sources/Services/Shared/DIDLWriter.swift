import Player
import UPnP

/// Writes DIDL-Lite for what has none of its own: entries of a list, and the current song of a station
/// (ContentDirectory, "DIDL-Lite").
enum DIDLWriter {
  /// One audio item. Without a title, control points show the last part of the URI; without a URI there is no `res`.
  static func item(
    title: String?, artist: String?, album: String?, uri: String?,
    upnpClass: String = "object.item.audioItem.musicTrack", albumArtURI: String? = nil
  ) -> String {
    let title = title?.isEmpty == false ? title : uri.map(lastPathPart)
    var item = element("dc:title", title ?? "")
    if let artist { item += element("dc:creator", artist) + element("upnp:artist", artist) }
    if let album { item += element("upnp:album", album) }
    if let albumArtURI { item += element("upnp:albumArtURI", albumArtURI) }
    item += element("upnp:class", upnpClass)
    if let uri { item += "<res protocolInfo=\"http-get:*:*:*\">\(XMLEscaping.text(uri))</res>" }
    return #"<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/""#
      + #" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/">"#
      + #"<item id="0" parentID="-1" restricted="1">"# + item + "</item></DIDL-Lite>"
  }

  /// The metadata of a station with its current song (`PlayerState.metatext`) in the place of the title; the station
  /// stands where the stream names no artist, and in the album's place.
  static func metadata(of media: Media, song: StreamTags) -> String {
    let sent = DIDL.items(media.metadata).first
    return item(
      title: song.title, artist: song.artist ?? song.station ?? sent?.title, album: song.album ?? sent?.title,
      uri: media.uri, upnpClass: sent?.upnpClass ?? "object.item.audioItem.audioBroadcast",
      albumArtURI: sent?.albumArtURI)
  }

  /// The current song of a stream (OpenHome Info, "Metatext"). Control points show the title, so the station's name is
  /// not put there.
  static func metatext(_ song: StreamTags) -> String {
    item(title: song.title, artist: song.artist ?? song.station, album: song.album, uri: nil)
  }

  private static func element(_ name: String, _ text: String) -> String {
    "<\(name)>\(XMLEscaping.text(text))</\(name)>"
  }

  private static func lastPathPart(_ uri: String) -> String {
    let path = uri.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map(String.init) ?? uri
  }
}
