import Player
import Text

/// The tracks of a playlist file that somebody gives us: strict about addresses, lenient about everything else.
public struct ImportedList: Sendable, Hashable {
  /// Why there is nothing in it.
  public enum Failure: Error, Sendable, Hashable {
    /// Longer than ``longest``.
    case tooLong
    /// None of the formats that are known.
    case notAList
    /// An HLS playlist, which is one stream in pieces.
    case stream
  }

  /// The longest text, in bytes.
  public static let longest = PlaylistDocument.maximumLength

  public private(set) var tracks: [Media] = []
  /// How many were left out, since the player refuses their addresses: a list from elsewhere names the files of another
  /// machine.
  public private(set) var refused = 0

  /// Reads M3U, XSPF, or another list that ``PlaylistDocument`` knows.
  ///
  /// - Parameters:
  ///   - allows: whether the player takes an address.
  ///   - most: how many tracks are read; the rest is dropped.
  public init(_ text: String, most: Int, allows: (String) -> Bool) throws(Failure) {
    guard text.utf8.count <= Self.longest else { throw .tooLong }
    let text = text.utf8.starts(with: "\u{feff}".utf8) ? String(text.unicodeScalars.dropFirst()) : text
    guard let entries = PlaylistDocument.written(text.streamSafe, most: most) else { throw .stream }
    guard !entries.isEmpty else { throw .notAList }
    for var entry in entries {
      guard allows(entry.uri) else {
        refused += 1
        continue
      }
      entry.imageURI = entry.imageURI.flatMap { Self.isPicture($0) ? $0 : nil }
      tracks.append(entry.media)
    }
    // Of any text, each line would be an address that is refused.
    if tracks.isEmpty, !Self.saysThatItIsAList(text) { throw .notAList }
  }

  private static func isPicture(_ address: String) -> Bool {
    let beginning = address.prefix(8).lowercased()
    return beginning.hasPrefix("http://") || beginning.hasPrefix("https://")
  }

  private static func saysThatItIsAList(_ text: String) -> Bool {
    let text = text.trimmingASCIISpace
    return text.hasPrefix("#EXTM3U") || text.hasPrefix("[") || text.hasPrefix("<")
  }
}
