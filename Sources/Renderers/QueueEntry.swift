import DIDLLite
import XML

/// An entry of an OpenHome queue, or of a list of stations.
package struct QueueEntry: Sendable, Hashable {
  package var id: UInt32
  package var uri: String
  /// DIDL-Lite.
  package var metadata: String

  package init(id: UInt32, uri: String, metadata: String) {
    (self.id, self.uri, self.metadata) = (id, uri, metadata)
  }

  /// What the metadata says, or the last part of the address.
  package var title: String {
    if let title = DIDL.items(metadata).first?.title, !title.isEmpty { return title }
    return uri.split(separator: "/").last.map(String.init) ?? uri
  }
}

/// The answer to ReadList: `<TrackList>` or `<ChannelList>` with an `<Entry>` for each id.
package enum EntryDocument {
  package static func entries(_ text: String) -> [QueueEntry] {
    guard let root = LenientXML.parse(text) else { return [] }
    return root.children("Entry").compactMap { node in
      guard let id = node.text(of: "Id").flatMap({ UInt32($0) }) else { return nil }
      let metadata = node.text(of: "Metadata") ?? ""
      // Stations have their address in the metadata alone.
      let uri = node.text(of: "Uri") ?? DIDL.items(metadata).first?.resources.first?.uri ?? ""
      return QueueEntry(id: id, uri: uri, metadata: metadata)
    }
  }
}
