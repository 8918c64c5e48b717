import NIOCore
import XML

extension PropertySet {
  /// The limits of an event message of somebody else's service.
  public static let limits = XMLTree.Limits(bytes: 1024 * 1024, elements: 1024)
  /// The limit on variables in one message; more are ignored.
  public static let maximumVariables = 256

  /// Reads the variables in the body of an event message, by local names.
  ///
  /// Accepts what devices in the field send: several variables in one property, and XML that isn't well-formed.
  ///
  /// - Throws: ``XMLError/malformed`` also for a document that isn't a property set.
  public static func read(_ body: ByteBuffer) throws(XMLError) -> [EventedValue] {
    let root = try XMLTree.read(body, limits: limits)
    guard root.name == "propertyset" else { throw .malformed }
    let variables = root.children.lazy.filter { $0.name == "property" }.flatMap(\.children)
    return variables.prefix(maximumVariables).map { EventedValue(name: $0.name, value: $0.text) }
  }
}
