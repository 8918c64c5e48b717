import UPnP

/// Writes what ReadList answers: `<TrackList>` and `<ChannelList>` with an `<Entry>` for each id (OpenHome
/// Playlist, "ReadList"; Radio, "ReadList").
///
/// Goes once over the texts, into one array of bytes: a thousand entries are a matter of milliseconds.
struct EntryList {
  /// What an answer holds at most, in bytes; entries behind it are left out as if they were unknown.
  static let maximumLength = 8 * 1024 * 1024

  private let name: StaticString
  private var bytes: [UInt8] = []

  /// An empty list whose root element is called `name`.
  ///
  /// - Parameter capacity: the number of entries that are expected.
  init(_ name: StaticString, capacity: Int) {
    self.name = name
    bytes.reserveCapacity(64 + min(capacity, 4096) * 1024)
    append("<")
    append(name)
    append(">")
  }

  /// Adds an entry; `uri` nil for lists whose entries have none.
  mutating func add(id: UInt32, uri: String?, metadata: String) {
    guard bytes.count < Self.maximumLength else { return }
    append("<Entry><Id>")
    bytes.append(contentsOf: String(id).utf8)
    append("</Id>")
    if let uri {
      append("<Uri>")
      XMLEscaping.append(uri, to: &bytes)
      append("</Uri>")
    }
    append("<Metadata>")
    XMLEscaping.append(metadata, to: &bytes)
    append("</Metadata></Entry>")
  }

  /// The whole document.
  consuming func text() -> String {
    append("</")
    append(name)
    append(">")
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }
}
