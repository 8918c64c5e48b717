import Text

/// One element of a small document, without namespaces.
public struct XMLNode: Sendable, Equatable {
  /// Local name; the prefix is removed, declared or not.
  public var name: String
  public var attributes: [String: String] = [:]
  public var children: [XMLNode] = []
  /// The element's own text, without that of its children.
  public var text = ""

  public init(name: String) { self.name = name }

  public func child(_ name: String) -> XMLNode? { children.first { $0.name == name } }
  public func children(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }

  /// The trimmed text of the first child called `name`; nil when there is none or it is empty.
  public func text(of name: String) -> String? {
    guard let text = child(name)?.text.trimmingASCIISpace, !text.isEmpty else { return nil }
    return text
  }
}
