import Text

/// A song that was sent to the speaker and is kept.
public struct UploadedSong: Sendable, Hashable {
  /// 32 hexadecimal digits that nobody can guess: its file's name, and a part of its address.
  public var key: String
  /// The name of its file where it came from, as people see it.
  public var name: String
  /// Its MIME type.
  public var type: String
  public var bytes: Int
  /// When it came, in seconds since 1970.
  public var added: Int
  /// When it was last played or fetched, in seconds since 1970.
  public var used: Int

  public init(key: String, name: String, type: String, bytes: Int, added: Int, used: Int) {
    self.key = key
    self.name = name
    self.type = type
    self.bytes = bytes
    self.added = added
    self.used = used
  }

  /// The name without its ending, until the song's own tags are known.
  public var title: String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 6 else {
      return name
    }
    return String(name[..<dot])
  }

  /// The path of its address.
  public var path: String { SongAddress.path + key + SoundType.ending(of: type) }

  // MARK: Names

  /// Unicode scalars of a name.
  public static let longestName = 200

  /// Makes a name of what a browser or a script says: the last part of a path, on one line. Never empty.
  public static func name(_ text: String) -> String {
    let last = text.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let scalars = last.unicodeScalars.filter {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        && $0.properties.generalCategory != .lineSeparator
        && $0.properties.generalCategory != .paragraphSeparator
    }
    let name = String(String.UnicodeScalarView(scalars.prefix(longestName))).streamSafe.trimmingASCIISpace
    return name.isEmpty ? "–" : String(name)
  }

  // MARK: Keys

  public static func newKey(using random: inout some RandomNumberGenerator) -> String {
    (0..<2).map { _ in
      let half = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
      return String(repeating: "0", count: 16 - half.utf8.count) + half
    }.joined()
  }

  /// Whether `text` may be a key.
  public static func isKey(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
