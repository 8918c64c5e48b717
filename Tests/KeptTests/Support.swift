import DIDLLite
import Player

@testable import Kept

extension Media {
  /// A track as a media server lists it.
  static func listed(
    _ address: String, id: String = "1", title: String = "Title", artist: String? = "Artist",
    album: String? = "Album", seconds: Int? = 200, parent: String = "p"
  ) -> Media {
    let name = { (element: String, text: String?) in text.map { DIDLWriter.element(element, $0) } ?? "" }
    return Media(
      uri: address,
      metadata: DIDLWriter.document(
        "<item id=\"\(id)\" parentID=\"\(parent)\" restricted=\"1\">" + name("dc:title", title)
          + name("upnp:artist", artist) + name("upnp:album", album)
          + "<res protocolInfo=\"http-get:*:audio/flac:*\">\(address)</res></item>"),
      contentFormat: "audio/flac", durationHint: seconds.map { .seconds($0) })
  }
}

extension KeptTrack {
  static func numbered(_ number: Int, bytes: Int = 0) -> KeptTrack {
    KeptTrack(
      Media(
        uri: "http://192.0.2.1/\(number)", metadata: String(repeating: "m", count: bytes),
        durationHint: .seconds(number % 7)),
      server: number.isMultiple(of: 2) ? "server" : nil)
  }
}
