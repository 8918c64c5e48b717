import Player
import UPnP
import XML

/// The ordered list of sources in Product.
struct SourceList: Sendable {
  struct Source: Sendable {
    var kind: SourceKind
    /// The name shown to users.
    var name: String
    var isVisible: Bool
  }

  let sources: [Source]
  /// Product, "SourceXml".
  let xml: String

  init(_ kinds: [SourceKind], _ configuration: OpenHomeConfiguration) {
    sources = kinds.map { kind in
      let shown = configuration.source(kind)
      return Source(kind: kind, name: shown.name, isVisible: shown.isVisible)
    }
    xml = "<SourceList>" + sources.map(\.xml).joined() + "</SourceList>"
  }
}

extension SourceList.Source {
  /// The XML of one source. Control points rely on the order of the elements and on the words `true` and
  /// `false`.
  fileprivate var xml: String {
    "<Source><Name>\(XMLEscaping.text(name))</Name><Type>\(kind.names.type)</Type>"
      + "<Visible>\(isVisible)</Visible><SystemName>\(kind.names.system)</SystemName></Source>"
  }
}
