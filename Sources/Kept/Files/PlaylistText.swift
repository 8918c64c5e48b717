import DIDLLite
import Player

/// Writes lists of tracks as files: what ``PlaylistDocument`` reads again without loss of address, title, artist, album,
/// picture and length.
///
/// Addresses stand there whole: without them nobody could play the list.
public struct PlaylistText: Sendable, Hashable {
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// Extended M3U in UTF-8.
    case m3u8
    /// XSPF 1.
    case xspf

    /// The media type of its files.
    public var contentType: String {
      switch self {
      case .m3u8: "audio/x-mpegurl; charset=utf-8"
      case .xspf: "application/xspf+xml; charset=utf-8"
      }
    }
  }

  public let format: Format
  private let name: String

  /// - Parameter name: what the list is called.
  public init(_ format: Format, name: String) {
    self.format = format
    self.name = name
  }

  /// What comes before the first track.
  public var head: String {
    switch format {
    case .m3u8: "#EXTM3U\n#PLAYLIST:\(Self.line(name))\n"
    case .xspf:
      #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
        + #"<playlist version="1" xmlns="http://xspf.org/ns/0/">"# + DIDLWriter.element("title", name)
        + "<trackList>\n"
    }
  }

  /// What comes behind the last track.
  public var tail: String { format == .m3u8 ? "" : "</trackList></playlist>\n" }

  public func track(_ entry: PlaylistDocument.Entry) -> String {
    switch format {
    case .m3u8: Self.m3u(entry)
    case .xspf: Self.xspf(entry)
    }
  }

  // MARK: The formats

  private static func m3u(_ entry: PlaylistDocument.Entry) -> String {
    let title = [entry.artist, entry.title ?? DIDLWriter.title(of: entry.uri)].compactMap(\.self)
    var text = "#EXTINF:\(entry.duration.map(seconds) ?? "-1"),\(title.map(line).joined(separator: " - "))\n"
    if let artist = entry.artist { text += "#EXTART:\(line(artist))\n" }
    if let album = entry.album { text += "#EXTALB:\(line(album))\n" }
    if let image = entry.imageURI { text += "#EXTIMG:\(address(image))\n" }
    return text + "\(address(entry.uri))\n"
  }

  private static func xspf(_ entry: PlaylistDocument.Entry) -> String {
    var text = "<track>" + DIDLWriter.element("location", entry.uri)
    let parts = [
      ("title", entry.title), ("creator", entry.artist), ("album", entry.album), ("image", entry.imageURI),
      ("duration", entry.duration.map { "\($0.milliseconds)" }),
    ]
    for (name, value) in parts {
      if let value { text += DIDLWriter.element(name, value) }
    }
    return text + "</track>\n"
  }

  /// Whole seconds, as all players read them; a fraction only where there is one.
  private static func seconds(_ duration: Duration) -> String {
    let (seconds, rest) = duration.milliseconds.quotientAndRemainder(dividingBy: 1000)
    guard rest > 0 else { return "\(seconds)" }
    return "\(seconds)." + String(String(1000 + rest).dropFirst())
  }

  /// The text in one line.
  private static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.breaksLines) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.breaksLines ? " " : $0 }))
  }

  /// The address in one line: `URIPolicy` lets some pass that end one in Unicode.
  private static func address(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.breaksLines) else { return text }
    return AddressEscaping.escaped(text) ?? line(text)
  }
}

extension Unicode.Scalar {
  fileprivate var breaksLines: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension Duration {
  /// Rounded down.
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension PlaylistDocument.Entry {
  /// What a list says of a track.
  public init(_ media: Media) {
    let sent = DIDL.items(media.metadata).first
    self.init(
      uri: media.uri, title: sent?.title, artist: sent?.artist, album: sent?.album,
      imageURI: sent?.albumArtURI, duration: media.durationHint, contentFormat: media.contentFormat)
  }
}
