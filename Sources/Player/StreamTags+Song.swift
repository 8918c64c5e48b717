import Text

extension StreamTags {
  /// The song that the stream names, ready for display; nil when there is neither title nor artist.
  ///
  /// ICY stations have one line for both (StreamTitle), mostly `Artist - Title`. It is split only when it
  /// contains exactly one such dash: with more, the separator is ambiguous and the line stays whole. The
  /// station is set only when there is no artist.
  public var song: StreamTags? {
    guard let line = Self.shown(title) ?? Self.shown(artist) else { return nil }
    var song = StreamTags(title: line, artist: Self.shown(artist), album: Self.shown(album))
    if song.artist == nil, let (artist, title) = Self.parts(of: line) {
      (song.artist, song.title) = (artist, title)
    }
    if song.artist == nil { song.station = Self.shown(station) }
    return song
  }

  private static func parts(of line: String) -> (artist: String, title: String)? {
    guard let dash = line.firstPlace(of: " - ") else { return nil }
    let rest = line[dash.upperBound...]
    guard !rest.includes(" - "), !rest.hasPrefix("- "), let artist = shown(String(line[..<dash.lowerBound])),
      let title = shown(String(rest))
    else { return nil }
    return (artist, title)
  }

  /// Trims spaces; nil when nothing is left.
  private static func shown(_ text: String?) -> String? {
    guard let text else { return nil }
    let begun = text.drop { $0 == " " }
    guard let last = begun.lastIndex(where: { $0 != " " }) else { return nil }
    return String(begun[...last])
  }
}
