import NIOCore
import Text
import XML

extension LastChange {
  /// The limits of a document.
  public static let limits = XMLTree.Limits(bytes: 1024 * 1024, elements: 1024)

  /// The changes in one instance of a service.
  public struct Instance: Sendable, Hashable {
    public var id: UInt32
    public var values: [EventedValue]
  }

  /// Reads the document of a `LastChange` variable, by local names.
  ///
  /// Accepts what devices in the field send: `Channel` for `channel`, values as content instead of in `val`, a document
  /// that isn't well-formed or is escaped twice. An empty string is a document without changes.
  ///
  /// - Throws: ``XMLError/malformed`` also for a document that isn't a `LastChange`.
  public static func read(_ text: String) throws(XMLError) -> [Instance] {
    guard !text.trimmingASCIISpace.isEmpty else { return [] }
    let root = try XMLTree.read(ByteBuffer(string: text), limits: limits)
    guard root.name == "Event" else { throw .malformed }
    return root.children("InstanceID").compactMap { node in
      guard let id = UInt32(wire: node.attributes["val"] ?? "0") else { return nil }
      return Instance(id: id, values: node.children.map(value))
    }
  }

  private static func value(_ node: XMLNode) -> EventedValue {
    EventedValue(
      name: node.name, channel: node.attributes["channel"] ?? node.attributes["Channel"],
      value: node.attributes["val"] ?? node.text)
  }
}
