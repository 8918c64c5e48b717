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
