import UPnP

/// Lists in XML: DIDL-Lite, XSPF, ASX and OPML. Names are compared without regard to case, as ASX has them.
extension PlaylistDocument {
  /// The entries of `text`, URIs as written; empty when the root element is none of these.
  static func xmlEntries(_ text: String) -> [Entry] {
    guard let root = LenientXML.parse(text) else { return [] }
    switch root.name.lowercased() {
    case "playlist": return xspf(root)
    case "asx": return root.descendants.compactMap(asx)
    case "opml": return root.all("body").flatMap(opml)
    default: return DIDL.items(in: root, limit: maximumEntries).compactMap(entry(of:))
    }
  }

  private static func entry(of item: DIDL) -> Entry? {
    guard let resource = item.resources.first else { return nil }
    return Entry(
      uri: resource.uri, title: item.title, artist: item.artist, album: item.album,
      imageURI: item.albumArtURI, duration: resource.duration,
      contentFormat: resource.protocolInfo?.mimeType)
  }

  /// XSPF 1; of several locations of a track the first counts.
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

  /// Unclosed elements are common, so what belongs to an entry, and even the next entry, may stand deeper.
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

  /// Outlines that are stations, folders opened. Links to further lists and feeds are no stations.
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
  /// Children called `name` (in lower case), in whatever case they are written.
  fileprivate func all(_ name: String) -> [XMLNode] { children.filter { $0.name.lowercased() == name } }

  /// The trimmed text of the first child of that name, unless empty.
  fileprivate func text(ofAny name: String) -> String? { all(name).first?.text.trimmingASCIISpace.nonEmpty }

  /// The trimmed value of the attribute called `name` (in lower case), unless empty.
  fileprivate func attribute(_ name: String) -> String? {
    attributes.first { $0.key.lowercased() == name }?.value.trimmingASCIISpace.nonEmpty
  }

  /// Everything below this element; its depth is bounded by the parser.
  fileprivate var descendants: [XMLNode] { children.flatMap { [$0] + $0.descendants } }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
