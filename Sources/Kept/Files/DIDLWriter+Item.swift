import DIDLLite
import Player

/// Writes DIDL-Lite for an entry of a list.
extension DIDLWriter {
  /// One audio item. A missing title is derived from the URI; without a URI there is no `res`.
  public static func item(
    title: String?, artist: String?, album: String?, uri: String?,
    upnpClass: String = DIDLWriter.trackClass, albumArtURI: String? = nil
  ) -> String {
    let title = title?.isEmpty == false ? title : uri.map(Self.title)
    return document(
      title: title ?? "", artist: artist, album: album, uri: uri, upnpClass: upnpClass,
      albumArtURI: albumArtURI)
  }

  /// The last part of the path, unescaped; without a path the server, without user name and password.
  public static func title(of uri: String) -> String {
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
