import Text

/// A list of songs from a phone: M3U and M3U8, whose entries are names of files or addresses.
public enum SongList {
  public enum Entry: Sendable, Hashable {
    /// A file by its name, without the folders of the phone.
    case file(String)
    /// An address with `http:` or `https:`.
    case address(String, title: String?)
  }

  /// The most entries that are read; the rest is dropped.
  public static let mostEntries = 2000

  /// The entries in their order.
  public static func entries(_ text: String) -> [Entry] {
    var entries: [Entry] = []
    var title: String?
    for line in text.split(whereSeparator: \.isNewline) where entries.count < mostEntries {
      let line = line.trimmingASCIISpace.drop { $0 == "\u{feff}" }
      if line.hasPrefix("#") {
        if line.uppercased().hasPrefix("#EXTINF:") {
          title = line.firstIndex(of: ",").map { String(line[line.index(after: $0)...].trimmingASCIISpace) }
        }
        continue
      }
      guard !line.isEmpty else { continue }
      let lowered = line.prefix(8).lowercased()
      if lowered.hasPrefix("http://") || lowered.hasPrefix("https://") {
        entries.append(.address(String(line), title: title?.isEmpty == false ? title : nil))
      } else if let last = line.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last {
        entries.append(.file(UploadedSong.name(String(last))))
      }
      title = nil
    }
    return entries
  }
}
