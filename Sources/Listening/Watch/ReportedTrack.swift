import Text

/// Where what is heard comes from. The raw values are the names in the configuration, `[reports] sources`.
public enum ReportSource: String, Sendable, Hashable, CaseIterable {
  case playlist
  case radio
  case upnpAV = "upnp-av"
  /// What another room plays.
  case receiver
}

/// What databases of music call a track, as its tags say.
public struct MusicIDs: Sendable, Hashable {
  /// MusicBrainz's identifier of the recording; these are UUIDs.
  public var recording: String?
  public var release: String?
  /// The track of the release.
  public var track: String?
  public var artists: [String]
  /// International Standard Recording Code: 12 letters and digits.
  public var isrc: String?

  /// The most artists that are kept.
  public static let mostArtists = 8

  /// Keeps only what has the right form: tags may hold anything.
  public init(
    recording: String? = nil, release: String? = nil, track: String? = nil, artists: [String] = [],
    isrc: String? = nil
  ) {
    self.recording = recording.flatMap(Self.uuid)
    self.release = release.flatMap(Self.uuid)
    self.track = track.flatMap(Self.uuid)
    self.artists = Array(artists.lazy.compactMap(Self.uuid).prefix(Self.mostArtists))
    self.isrc = isrc.flatMap(Self.code)
  }

  private static func uuid(_ text: String) -> String? {
    let bytes = Array(text.trimmingASCIISpace.utf8)
    guard bytes.count == 36 else { return nil }
    for (index, byte) in bytes.enumerated() {
      let fits =
        [8, 13, 18, 23].contains(index)
        ? byte == UInt8(ascii: "-")
        : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
      guard fits else { return nil }
    }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// An ISRC, which is also written with dashes.
  private static func code(_ text: String) -> String? {
    let bytes = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 }
    guard bytes.count == 12,
      bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self).uppercased()
  }
}

/// What is heard, as reports tell it. There is nothing in it of where the sound comes from or who asked for it.
public struct ReportedTrack: Sendable, Hashable {
  public var title: String?
  public var artist: String?
  public var album: String?
  /// The track's number on its album; at least 1.
  public var number: Int?
  /// Nil: unknown, or a station, which has no end.
  public var duration: Duration?
  /// The station that plays it.
  public var station: String?
  public var ids: MusicIDs

  /// The longest text, in bytes: a listen must stay below 10 kB.
  static let longestText = 1000

  /// Takes texts that strangers wrote: they become one line of at most 1,000 bytes, and what is blank is left out.
  ///
  /// - Parameter duration: zero, less, and more than 24 days count as unknown.
  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, number: Int? = nil,
    duration: Duration? = nil, station: String? = nil, ids: MusicIDs = MusicIDs()
  ) {
    self.title = Self.line(title)
    self.artist = Self.line(artist)
    self.album = Self.line(album)
    self.number = number.flatMap { (1...9999).contains($0) ? $0 : nil }
    self.duration = duration.flatMap { $0 > .zero && $0 <= .seconds(24 * 86_400) ? $0 : nil }
    self.station = Self.line(station)
    self.ids = ids
  }

  /// Whether it has artist and title, without which nobody can say what was heard.
  public var isNamed: Bool { title != nil && artist != nil }

  private static func line(_ text: String?) -> String? {
    guard let text else { return nil }
    var line = ""
    var length = 0
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
      let kept = isControl || scalar == "\u{2028}" || scalar == "\u{2029}" ? " " : scalar
      length += UTF8.width(kept)
      guard length <= longestText else { break }
      line.unicodeScalars.append(kept)
    }
    line = line.trimmingASCIISpace
    return line.isEmpty ? nil : line
  }
}
