import XML

/// An OpenHome source: what a renderer plays from.
package struct RendererSource: Sendable, Hashable {
  package var index: Int
  package var name: String
  package var type: String
  package var isVisible: Bool

  package init(index: Int, name: String, type: String, isVisible: Bool) {
    (self.index, self.name, self.type, self.isVisible) = (index, name, type, isVisible)
  }

  /// The type of the source that plays what another room sends.
  static let receiverType = "Receiver"

  /// The source for a room's own music: its queue, else the first that isn't the receiver.
  static func own(among sources: [RendererSource]) -> RendererSource? {
    let own = sources.filter { $0.type != receiverType }
    return own.first { $0.type == "Playlist" } ?? own.first(where: \.isVisible) ?? own.first
  }

  /// Reads a SourceXml (OpenHome Product).
  package static func list(_ xml: String) -> [RendererSource] {
    guard let root = LenientXML.parse(xml, limit: 2000) else { return [] }
    return root.children("Source").prefix(100).enumerated().map { index, source in
      RendererSource(
        index: index, name: source.text(of: "Name") ?? "", type: source.text(of: "Type") ?? "",
        isVisible: source.text(of: "Visible").map { $0 != "false" && $0 != "0" } ?? true)
    }
  }
}
