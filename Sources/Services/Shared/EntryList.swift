import UPnP

/// Writes what ReadList answers: `<TrackList>` and `<ChannelList>` with an `<Entry>` for each id (OpenHome
/// Playlist, "ReadList"; Radio, "ReadList").
struct EntryList {
  /// What an answer holds at most, in bytes; entries behind it are left out as if they were unknown.
  static let maximumLength = 8 * 1024 * 1024

  private let name: StaticString
  private var xml: XMLText

  /// An empty list whose root element is called `name`.
  ///
  /// - Parameter capacity: the number of entries that are expected.
  init(_ name: StaticString, capacity: Int) {
    self.name = name
    xml = XMLText(capacity: 64 + min(capacity, 4096) * 1024)
    xml.append("<")
    xml.append(name)
    xml.append(">")
  }

  /// Adds an entry; `uri` nil for lists whose entries have none.
  mutating func add(id: UInt32, uri: String?, metadata: String) {
    guard xml.count < Self.maximumLength else { return }
    xml.append("<Entry><Id>")
    xml.append(id)
    xml.append("</Id>")
    if let uri {
      xml.append("<Uri>")
      xml.append(escaping: uri)
      xml.append("</Uri>")
    }
    xml.append("<Metadata>")
    xml.append(escaping: metadata)
    xml.append("</Metadata></Entry>")
  }

  /// Ends the list and returns the whole document.
  mutating func finish() -> String {
    xml.append("</")
    xml.append(name)
    xml.append(">")
    return xml.text
  }
}
