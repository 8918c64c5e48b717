import DIDLLite
import Player
import Text
import XML

/// A list of tracks or stations in a URI or a file: M3U, PLS, XSPF, ASX, OPML, or a DIDL-Lite document
/// (DLNA's DIDL_S).
///
/// Its size (``maximumLength``), its nesting depth and the number of entries (``maximumEntries``) are
/// limited. Lists within lists become entries; `vireod/Daemon/NestedLists` follows them. ``PlaylistText`` writes lists.
public enum PlaylistDocument {
  /// Maximum length of a document in bytes.
  public static let maximumLength = LenientXML.maximumLength
  /// Maximum number of entries, more than a long evening needs; the rest is dropped.
  public static let maximumEntries = 2000

  public enum Content: Sendable, Equatable {
    /// The tracks in order, with relative URIs resolved.
    case tracks([Media])
    /// An HLS playlist: one stream, played as it is.
    case stream
    /// None of the known formats.
    case unknown
  }

  /// One entry of a list.
  public struct Entry: Sendable, Hashable {
    /// Absolute URI: HTTP or HTTPS, or a file if the list itself is a file.
    public var uri: String
    public var title: String?
    public var artist: String?
    public var album: String?
    /// Cover or station logo.
    public var imageURI: String?
    public var duration: Duration?
    /// MIME type with parameters.
    public var contentFormat: String?

    public init(
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

    /// The entry as a track, with metadata made of what it says.
    public var media: Media {
      Media(
        uri: uri,
        metadata: DIDLWriter.item(
          title: title, artist: artist, album: album, uri: uri, albumArtURI: imageURI),
        contentFormat: contentFormat, durationHint: duration)
    }
  }

  /// Reads `bytes`, which came from `base`.
  ///
  /// Only the content decides, since servers label M3U as text and HLS as M3U.
  public static func read(_ bytes: [UInt8], from base: String) -> Content {
    switch content(bytes, from: base) {
    case .entries(let entries): .tracks(entries.map(\.media))
    case .stream: .stream
    case .unknown: .unknown
    }
  }

  /// The stations in `bytes`, which came from `base`. An HLS playlist is one station; anything but a list has
  /// none.
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
    guard let found = written(text, most: maximumEntries) else { return .stream }
    // Lists are written by hand, with unescaped file names. But in arbitrary text, every line would be a
    // name.
    let isList = text.hasPrefix("#EXTM3U") || text.hasPrefix("[") || text.hasPrefix("<")
    let isLenient = !bytes.contains(0) && (isList || Media(uri: base).looksLikeContainer)
    func address(_ reference: String) -> String? {
      guard isLenient else { return resolved(reference, against: base) }
      guard let reference = AddressEscaping.escaped(reference, brackets: true),
        let base = AddressEscaping.escaped(base, brackets: true)
      else { return nil }
      return resolved(reference, against: base)
    }
    let entries = found.compactMap { entry -> Entry? in
      guard let uri = address(entry.uri) else { return nil }
      var entry = entry
      entry.uri = uri
      entry.imageURI = entry.imageURI.flatMap(address)
      return entry
    }
    return entries.isEmpty ? .unknown : .entries(entries)
  }

  /// The entries of a list, with the addresses that are written there, whether they are absolute or not; empty for what is none
  /// of the known formats. Nil for an HLS playlist.
  ///
  /// - Parameter most: how many are read; the rest is dropped.
  static func written(_ text: String, most: Int) -> [Entry]? {
    let text = text.trimmingASCIISpace
    if text.hasPrefix("<") { return Array(xmlEntries(text, most: most).prefix(most)) }
    let lines = text.split(whereSeparator: \.isNewline).map(\.trimmingASCIISpace).filter { !$0.isEmpty }
    if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) { return nil }
    return Array(textEntries(lines, most: most).prefix(most))
  }

  // MARK: Pieces

  /// Decodes UTF-8, else Latin-1 as in old M3U files.
  private static func decoded(_ bytes: [UInt8]) -> String {
    let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
    if let text = String(validating: content, as: UTF8.self) { return text.streamSafe }
    return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
  }

  /// The absolute form of `reference` (RFC 3986, section 5). Nil for a scheme other than HTTP and HTTPS, so
  /// that a list from the network can't name local files; file URIs are allowed in a file.
  private static func resolved(_ reference: String, against base: String) -> String? {
    guard let uri = URIReference.resolved(reference, against: base) else { return nil }
    let lowered = uri.lowercased()
    let isWeb = lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
    return isWeb || (lowered.hasPrefix("file:") && base.lowercased().hasPrefix("file:")) ? uri : nil
  }
}
