import UPnP
import XML

/// Writes the answer to ReadList: `<TrackList>` or `<ChannelList>` with an `<Entry>` for each id (OpenHome
/// Playlist, "ReadList"; Radio, "ReadList").
struct EntryList: ChunkedText {
  /// Maximum length of an answer in bytes. Entries beyond it are dropped, as unknown ids are.
  static let maximumLength = 8 * 1024 * 1024

  /// The contents of one entry.
  struct Entry {
    /// nil for lists whose entries have no URI.
    var uri: String?
    var metadata: String
    /// Bytes read to produce the entry, which may be far more than its own length.
    var bytesRead: Int
  }

  private let name: StaticString
  private let ids: [UInt32]
  private let entry: @Sendable (UInt32) -> Entry?
  /// Index in ``ids`` of the next entry.
  private var next = 0
  private var length = 0

  /// A list whose root element is called `name`.
  ///
  /// - Parameters:
  ///   - name: name of the root element.
  ///   - ids: the requested ids, in their order.
  ///   - entry: returns the entry of an id, or nil if there is none; called while the list is written.
  init(_ name: StaticString, ids: [UInt32], entry: @escaping @Sendable (UInt32) -> Entry?) {
    self.name = name
    self.ids = ids
    self.entry = entry
  }

  mutating func write(to xml: inout XMLText) -> Bool {
    let before = xml.count
    var bytesRead = 0
    if next == 0 { tag("<", &xml) }
    while next < ids.count, length + xml.count - before < Self.maximumLength {
      guard max(xml.count - before, bytesRead) < Self.usualLength else {
        length += xml.count - before
        return true
      }
      if let entry = entry(ids[next]) {
        bytesRead += entry.bytesRead
        add(ids[next], entry, &xml)
      }
      next += 1
    }
    tag("</", &xml)
    return false
  }

  private func tag(_ begin: StaticString, _ xml: inout XMLText) {
    xml.append(begin)
    xml.append(name)
    xml.append(">")
  }

  private func add(_ id: UInt32, _ entry: Entry, _ xml: inout XMLText) {
    xml.append("<Entry><Id>")
    xml.append(id)
    xml.append("</Id>")
    if let uri = entry.uri {
      xml.append("<Uri>")
      xml.append(escaping: uri)
      xml.append("</Uri>")
    }
    xml.append("<Metadata>")
    xml.append(escaping: entry.metadata)
    xml.append("</Metadata></Entry>")
  }
}
