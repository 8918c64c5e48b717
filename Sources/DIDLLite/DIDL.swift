import Text
import XML

/// What a player needs to know of one DIDL-Lite item (ContentDirectory, "DIDL-Lite").
///
/// Unreadable metadata never makes a cast fail: the values are then unknown, and the original string is kept
/// elsewhere.
public struct DIDL: Sendable, Equatable {
  public var title: String?
  public var artist: String?
  public var album: String?
  public var albumArtURI: String?
  public var upnpClass: String?
  /// The track's number on its album.
  public var trackNumber: Int?
  public var resources: [Resource] = []

  /// One `<res>`.
  public struct Resource: Sendable, Equatable {
    public var uri: String
    public var protocolInfo: ProtocolInfo?
    public var duration: Duration?
  }

  /// The items of `text`, in order; empty when it isn't DIDL-Lite (a lone `.`, `NOT_IMPLEMENTED`, …).
  public static func items(_ text: String, limit: Int = 1) -> [DIDL] {
    // A caller that wants one item shouldn't hold a whole list in memory.
    LenientXML.parse(text, limit: 500 + 25 * limit).map { items(in: $0, limit: limit) } ?? []
  }

  /// The items of a parsed document; empty when it isn't DIDL-Lite.
  public static func items(in root: XMLNode, limit: Int) -> [DIDL] {
    let isItem = { (node: XMLNode) in node.name == "item" || node.name == "container" }
    let nodes = isItem(root) ? [root] : root.children.filter(isItem)
    return nodes.prefix(limit).map { DIDL($0) }
  }

  /// Reads an `item` or a `container`.
  public init(_ node: XMLNode) {
    title = node.text(of: "title")
    artist = Self.preferredArtist(node) ?? node.text(of: "creator")
    album = node.text(of: "album")
    albumArtURI = node.text(of: "albumArtURI")
    upnpClass = node.text(of: "class")
    trackNumber = node.text(of: "originalTrackNumber").flatMap { Int($0) }
    resources = node.children("res").compactMap { resource in
      let uri = resource.text.trimmingASCIISpace
      guard !uri.isEmpty else { return nil }
      return Resource(
        uri: uri, protocolInfo: resource.attributes["protocolInfo"].flatMap(ProtocolInfo.init),
        duration: resource.attributes["duration"].flatMap(ClockTime.duration).flatMap {
          $0 > .zero ? $0 : nil
        })
    }
  }

  /// The artist without a role, else the performer, else the first one.
  private static func preferredArtist(_ node: XMLNode) -> String? {
    let artists = node.children("artist").filter { !$0.text.trimmingASCIISpace.isEmpty }
    let chosen =
      artists.first { $0.attributes["role"] == nil }
      ?? artists.first { $0.attributes["role"]?.lowercased() == "performer" } ?? artists.first
    return chosen?.text.trimmingASCIISpace
  }

  /// The resource whose URI is `uri`, else the only resource.
  public func resource(for uri: String) -> Resource? {
    resources.first { $0.uri == uri } ?? (resources.count == 1 ? resources.first : nil)
  }
}
