import CLibXML2
import Player
import UPnP

/// A list of tracks that a URI may stand for: M3U, PLS, or a DIDL-Lite document (DLNA's DIDL_S).
public enum PlaylistDocument {
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

  /// Reads `bytes`, which came from `base`.
  ///
  /// The content decides, not the name: servers label M3U as text, and HLS as M3U.
  public static func read(_ bytes: [UInt8], from base: String) -> Content {
    let text = decoded(bytes).trimmingASCIISpace
    let lines = text.split(whereSeparator: \.isNewline).map(\.trimmingASCIISpace).filter { !$0.isEmpty }
    if text.hasPrefix("<") { return didl(text, base: base) }
    if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) { return .stream }
    if lines.first?.lowercased() == "[playlist]" { return tracks(pls(lines), base: base) }
    return tracks(m3u(lines), base: base)
  }

  // MARK: Formats

  private struct Entry {
    var uri: String
    var title: String?
    var duration: Duration?
  }

  private static func m3u(_ lines: [String]) -> [Entry] {
    var entries: [Entry] = []
    var pending = Entry(uri: "")
    for line in lines where entries.count < maximumEntries {
      if line.hasPrefix("#EXTINF:") {
        let fields = line.dropFirst("#EXTINF:".count).split(separator: ",", maxSplits: 1)
        // Attributes may follow the number: `#EXTINF:-1 tvg-id="…",Title`.
        pending.duration = fields.first?.split(separator: " ").first.flatMap { seconds(String($0)) }
        pending.title = fields.count == 2 ? fields[1].trimmingASCIISpace : nil
      } else if !line.hasPrefix("#") {
        pending.uri = line
        entries.append(pending)
        pending = Entry(uri: "")
      }
    }
    return entries
  }

  private static func pls(_ lines: [String]) -> [Entry] {
    var entries: [Int: Entry] = [:]
    for line in lines {
      let pair = line.split(separator: "=", maxSplits: 1).map(\.trimmingASCIISpace)
      guard pair.count == 2 else { continue }
      let key = pair[0].lowercased()
      let digits = key.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
      guard let number = Int(String(digits)), entries.count < maximumEntries || entries[number] != nil else {
        continue
      }
      switch key.dropLast(digits.count) {
      case "file": entries[number, default: Entry(uri: "")].uri = pair[1]
      case "title": entries[number, default: Entry(uri: "")].title = pair[1]
      case "length": entries[number, default: Entry(uri: "")].duration = seconds(pair[1])
      default: continue
      }
    }
    return entries.sorted { $0.key < $1.key }.map(\.value).filter { !$0.uri.isEmpty }
  }

  private static func didl(_ text: String, base: String) -> Content {
    let media = DIDL.items(text, limit: maximumEntries).compactMap { item -> Media? in
      guard let resource = item.resources.first, let uri = resolved(resource.uri, against: base) else {
        return nil
      }
      return Media(
        uri: uri,
        metadata: DIDLWriter.item(title: item.title, artist: item.artist, album: item.album, uri: uri),
        contentFormat: resource.protocolInfo?.mimeType, durationHint: resource.duration)
    }
    return media.isEmpty ? .unknown : .tracks(media)
  }

  private static func tracks(_ entries: [Entry], base: String) -> Content {
    let media = entries.compactMap { entry -> Media? in
      guard let uri = resolved(entry.uri, against: base) else { return nil }
      return Media(
        uri: uri, metadata: DIDLWriter.item(title: entry.title, artist: nil, album: nil, uri: uri),
        durationHint: entry.duration)
    }
    return media.isEmpty ? .unknown : .tracks(media)
  }

  // MARK: Pieces

  /// UTF-8, and where it isn't, Latin-1 as M3U files of old.
  private static func decoded(_ bytes: [UInt8]) -> String {
    let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
    if let text = String(validating: content, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
  }

  private static func seconds(_ text: String) -> Duration? {
    guard let value = Double(text), value > 0, value < 1e8 else { return nil }
    return .milliseconds(Int64(value * 1000))
  }

  /// The absolute form of `reference` (RFC 3986, section 5); nil for what isn't fetched over the network, so that
  /// a list from the network can't name local files.
  private static func resolved(_ reference: String, against base: String) -> String? {
    guard reference.utf8.count <= 4096, let joined = xmlBuildURI(reference, base) else { return nil }
    defer { clibxml2_free(joined) }
    let uri = String(cString: joined)
    let lowered = uri.lowercased()
    let isWeb = lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
    return isWeb || (lowered.hasPrefix("file:") && base.lowercased().hasPrefix("file:")) ? uri : nil
  }
}
