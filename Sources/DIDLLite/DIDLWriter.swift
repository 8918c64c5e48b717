import XML

/// Writes DIDL-Lite for media without its own (ContentDirectory, "DIDL-Lite").
public enum DIDLWriter {
  public static let trackClass = "object.item.audioItem.musicTrack"
  public static let stationClass = "object.item.audioItem.audioBroadcast"

  /// A document of one audio item; without a URI there is no `res`.
  ///
  /// - Parameter protocolInfo: of the `res`, in characters that need no escaping.
  public static func document(
    title: String, artist: String?, album: String?, uri: String?,
    upnpClass: String = trackClass, albumArtURI: String? = nil, protocolInfo: String = "http-get:*:*:*"
  ) -> String {
    var item = element("dc:title", title)
    if let artist { item += element("dc:creator", artist) + element("upnp:artist", artist) }
    if let album { item += element("upnp:album", album) }
    if let albumArtURI { item += element("upnp:albumArtURI", albumArtURI) }
    item += element("upnp:class", upnpClass)
    if let uri { item += "<res protocolInfo=\"\(protocolInfo)\">\(XMLEscaping.text(uri))</res>" }
    return document(#"<item id="0" parentID="-1" restricted="1">"# + item + "</item>")
  }

  /// A document of `objects`, which may use the name spaces `dc` and `upnp`.
  public static func document(_ objects: String) -> String {
    #"<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/""#
      + #" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/">"#
      + objects + "</DIDL-Lite>"
  }

  /// `<name>text</name>`
  public static func element(_ name: String, _ text: String) -> String {
    "<\(name)>\(XMLEscaping.text(text))</\(name)>"
  }
}
