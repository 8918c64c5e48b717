import DIDLLite
import Text
import XML

/// Lists in XML: DIDL-Lite, XSPF, ASX and OPML. Names are case-insensitive, as in ASX.
extension PlaylistDocument {
  /// The entries of `text`, with unchanged URIs; empty when the root element is none of these formats.
  static func xmlEntries(_ text: String, most: Int) -> [Entry] {
    guard let root = LenientXML.parse(text) else { return [] }
    switch root.name.lowercased() {
    case "playlist": return xspf(root)
    case "asx": return root.descendants.compactMap(asx)
    case "opml": return root.all("body").flatMap(opml)
    default: return DIDL.items(in: root, limit: most).compactMap(entry(of:))
    }
  }

  private static func entry(of item: DIDL) -> Entry? {
    guard let resource = item.resources.first else { return nil }
    return Entry(
      uri: resource.uri, title: item.title, artist: item.artist, album: item.album,
      imageURI: item.albumArtURI, duration: resource.duration,
      contentFormat: resource.protocolInfo?.mimeType)
  }

  /// The tracks of XSPF 1; of several locations of a track, the first one is used.
  private static func xspf(_ root: XMLNode) -> [Entry] {
    root.all("tracklist").flatMap { $0.all("track") }.map { track in
      Entry(
        uri: track.text(ofAny: "location") ?? "", title: track.text(ofAny: "title"),
        artist: track.text(ofAny: "creator"), album: track.text(ofAny: "album"),
        imageURI: track.text(ofAny: "image"),
        duration: track.text(ofAny: "duration").flatMap { milliseconds in
          Int64(milliseconds).flatMap { (1..<100_000_000_000).contains($0) ? .milliseconds($0) : nil }
        })
    }
  }

  /// Reads one ASX element. Unclosed elements are common, so the parts of an entry, and even the next entry,
  /// may be nested deeper.
  private static func asx(_ node: XMLNode) -> Entry? {
    switch node.name.lowercased() {
    case "entry":
      let everything = node.descendants
      func first(_ name: String) -> XMLNode? { everything.first { $0.name.lowercased() == name } }
      return first("ref")?.attribute("href").map {
        Entry(
          uri: $0, title: first("title")?.text.trimmingASCIISpace.nonEmpty,
          artist: first("author")?.text.trimmingASCIISpace.nonEmpty)
      }
    case "entryref": return node.attribute("href").map { Entry(uri: $0) }
    default: return nil
    }
  }

  /// The stations in all folders of an outline. Links to other lists and to feeds are not stations.
  private static func opml(_ node: XMLNode) -> [Entry] {
    node.all("outline").flatMap { outline -> [Entry] in
      let inside = opml(outline)
      guard let uri = outline.attribute("url"), isStation(outline) else { return inside }
      let station = Entry(
        uri: uri, title: outline.attribute("text") ?? outline.attribute("title"),
        imageURI: outline.attribute("image"))
      return [station] + inside
    }
  }

  private static func isStation(_ outline: XMLNode) -> Bool {
    switch outline.attribute("type")?.lowercased() {
    case nil, "audio", "stream": true
    default: false
    }
  }
}

extension XMLNode {
  /// Children called `name` (in lower case), regardless of their case.
  fileprivate func all(_ name: String) -> [XMLNode] { children.filter { $0.name.lowercased() == name } }

  /// The trimmed text of the first child of that name; nil when there is none or it is empty.
  fileprivate func text(ofAny name: String) -> String? { all(name).first?.text.trimmingASCIISpace.nonEmpty }

  /// The trimmed value of the attribute called `name` (in lower case); nil when there is none or it is empty.
  fileprivate func attribute(_ name: String) -> String? {
    attributes.first { $0.key.lowercased() == name }?.value.trimmingASCIISpace.nonEmpty
  }

  /// All elements below this one; the parser limits their depth.
  fileprivate var descendants: [XMLNode] { children.flatMap { [$0] + $0.descendants } }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
