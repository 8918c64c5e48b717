import Player
import XML

/// Writes DIDL-Lite for media without its own: entries of a list, and the current song of a station
/// (ContentDirectory, "DIDL-Lite").
enum DIDLWriter {
  static let trackClass = "object.item.audioItem.musicTrack"
  static let stationClass = "object.item.audioItem.audioBroadcast"

  /// One audio item. A missing title is derived from the URI; without a URI there is no `res`.
  static func item(
    title: String?, artist: String?, album: String?, uri: String?,
    upnpClass: String = trackClass, albumArtURI: String? = nil
  ) -> String {
    let title = title?.isEmpty == false ? title : uri.map(Self.title)
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

  private static func element(_ name: String, _ text: String) -> String {
    "<\(name)>\(XMLEscaping.text(text))</\(name)>"
  }

  /// The last part of the path, unescaped; without a path the server, without user name and password.
  private static func title(of uri: String) -> String {
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
