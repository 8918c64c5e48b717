import Text

/// A song as guests see it. All of it comes from strangers, and is bounded here.
public struct PartySong: Sendable, Hashable {
  public let title: String
  public let artist: String?
  public let album: String?
  public let duration: Duration?
  /// Where its picture is, as its metadata says.
  public let picture: String?
  /// Where it is.
  public let address: String

  /// Unicode scalars of a text, and bytes of a picture's address.
  private static let longestText = 200
  private static let longestAddress = 1024

  public init(
    title: String, artist: String? = nil, album: String? = nil, duration: Duration? = nil,
    picture: String? = nil, address: String
  ) {
    self.title = Self.line(title) ?? ""
    self.artist = artist.flatMap { Self.line($0) }
    self.album = album.flatMap { Self.line($0) }
    self.duration = duration
    self.picture = picture.flatMap { $0.utf8.count <= Self.longestAddress ? $0 : nil }
    self.address = address
  }

  /// Nil for a text without anything to see.
  static func line(_ text: String, most: Int = longestText) -> String? {
    let scalars = text.unicodeScalars.lazy.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
    let line = String(String.UnicodeScalarView(scalars.prefix(most))).streamSafe.trimmingASCIISpace
    return line.isEmpty ? nil : line
  }

  /// What makes it the same song as another one.
  public var key: PartySongKey { PartySongKey(self) }
}

/// Tells songs apart: one file is one song, and so are two of the same title by the same artist.
public struct PartySongKey: Sendable, Hashable {
  private let address: String
  private let names: String?

  fileprivate init(_ song: PartySong) {
    address = song.address
    names = song.artist.map { "\($0.lowercased())\n\(song.title.lowercased())" }
  }

  func isSame(as other: PartySongKey) -> Bool {
    address == other.address || names != nil && names == other.names
  }
}
