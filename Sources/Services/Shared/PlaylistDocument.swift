import CLibXML2
import Player
import UPnP

/// A list of tracks or stations that a URI or a file may stand for: M3U, PLS, XSPF, ASX, OPML, or a DIDL-Lite
/// document (DLNA's DIDL_S).
///
/// Bounded in size (``maximumLength``), in depth (elements below each other) and in count (``maximumEntries``).
/// Lists inside lists are entries; nobody follows them in here (`vireod/Daemon/NestedLists` does).
public enum PlaylistDocument {
  /// The longest document that is looked at, in bytes.
  public static let maximumLength = LenientXML.maximumLength
  /// More than fits a long evening; what follows is left out.
  public static let maximumEntries = 2000

  public enum Content: Sendable, Equatable {
    /// The tracks in order, relative URIs resolved.
    case tracks([Media])
    /// An HLS playlist: one stream, to be played as it is.
    case stream
    /// None of the known lists.
    case unknown
  }

  /// One entry of a list.
  public struct Entry: Sendable, Hashable {
    /// Absolute URI: HTTP or HTTPS, or a file if the list itself is one.
    public var uri: String
    public var title: String?
    public var artist: String?
    public var album: String?
    /// Cover or station logo.
    public var imageURI: String?
    public var duration: Duration?
    /// MIME type with its parameters.
    public var contentFormat: String?

    init(
      uri: String = "", title: String? = nil, artist: String? = nil, album: String? = nil,
      imageURI: String? = nil, duration: Duration? = nil, contentFormat: String? = nil
    ) {
      self.uri = uri
      self.title = title
      self.artist = artist
      self.album = album
      self.imageURI = imageURI
      self.duration = duration
      self.contentFormat = contentFormat
    }

    /// The entry as a preset of the radio.
    public var station: Media { Media(station: uri, name: title, image: imageURI) }

    var media: Media {
      Media(
        uri: uri,
        metadata: DIDLWriter.item(
          title: title, artist: artist, album: album, uri: uri, albumArtURI: imageURI),
        contentFormat: contentFormat, durationHint: duration)
    }
  }

  /// Reads `bytes`, which came from `base`.
  ///
  /// The content decides, not the name: servers label M3U as text, and HLS as M3U.
  public static func read(_ bytes: [UInt8], from base: String) -> Content {
    switch content(bytes, from: base) {
    case .entries(let entries): .tracks(entries.map(\.media))
    case .stream: .stream
    case .unknown: .unknown
    }
  }

  /// The stations that `bytes`, which came from `base`, name; an HLS playlist is one station, and what is no list
  /// has none.
  public static func stations(_ bytes: [UInt8], from base: String) -> [Entry] {
    switch content(bytes, from: base) {
    case .entries(let entries): entries
    case .stream: [Entry(uri: base)]
    case .unknown: []
    }
  }

  private enum Found {
    case entries([Entry])
    case stream
    case unknown
  }

  private static func content(_ bytes: [UInt8], from base: String) -> Found {
    guard bytes.count <= maximumLength else { return .unknown }
    let text = decoded(bytes).trimmingASCIISpace
    let found: [Entry]
    if text.hasPrefix("<") {
      found = xmlEntries(text)
    } else {
      let lines = text.split(whereSeparator: \.isNewline).map(\.trimmingASCIISpace).filter { !$0.isEmpty }
      if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) { return .stream }
      found = textEntries(lines)
    }
    let entries = found.prefix(maximumEntries).compactMap { entry -> Entry? in
      guard let uri = resolved(entry.uri, against: base) else { return nil }
      var entry = entry
      entry.uri = uri
      entry.imageURI = entry.imageURI.flatMap { resolved($0, against: base) }
      return entry
    }
    return entries.isEmpty ? .unknown : .entries(entries)
  }

  // MARK: Pieces

  /// UTF-8, and where it isn't, Latin-1 as M3U files of old.
  private static func decoded(_ bytes: [UInt8]) -> String {
    let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
    if let text = String(validating: content, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
  }

  /// The absolute form of `reference` (RFC 3986, section 5); nil for what isn't fetched over the network, so that
  /// a list from the network can't name local files.
  private static func resolved(_ reference: String, against base: String) -> String? {
    guard !reference.isEmpty, reference.utf8.count <= 4096, let joined = xmlBuildURI(reference, base) else {
      return nil
    }
    defer { clibxml2_free(joined) }
    let uri = String(cString: joined)
    let lowered = uri.lowercased()
    let isWeb = lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
    return isWeb || (lowered.hasPrefix("file:") && base.lowercased().hasPrefix("file:")) ? uri : nil
  }
}
